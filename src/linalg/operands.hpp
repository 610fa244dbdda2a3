// SPDX-License-Identifier: MIT
// What functions of matrices ask of their operands.
#pragma once

#include "treadle/array/array.hpp"
#include "treadle/array/elementwise.hpp"

namespace treadle::linalg {

using array::Array;

inline array::Shape shape_of(const Array& x) { return {x.shape().begin(), x.shape().end()}; }

}  // namespace treadle::linalg
