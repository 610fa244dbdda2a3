// SPDX-License-Identifier: MIT
#pragma once

#include "array/access.hpp"
#include "array/evaluate.hpp"
#include "treadle/array/array.hpp"

namespace treadle::array {

/// Returns the array itself if its memory is dense in C's order, otherwise a dense copy.
inline Array dense(const Array& x) {
  Array own = x;  // another thread may give `x` another node
  compute(Access::node(own));
  return own.layout().is_contiguous(own.dtype().size_bytes()) ? own : dense_copy(own);
}

}  // namespace treadle::array
