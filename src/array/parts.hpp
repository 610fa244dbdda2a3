// SPDX-License-Identifier: MIT
// Shared by functions that build arrays of parts of other arrays.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "array/access.hpp"
#include "array/context.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {

/// A view of the elements from `begin` up to `end` along an axis.
Array part(const Array& x, std::integral auto axis, std::int64_t begin, std::int64_t end) {
  return x.viewed(x.layout().sliced(static_cast<int>(axis), begin, end), x.dtype());
}

/// A new array with undefined elements, on the device of x and the thread's current stream.
inline Array empty_beside(const Array& x, const Shape& shape, const DType& dtype) {
  const Node& node = Access::node(x);
  return empty(shape, dtype, {.stream = node.context->stream(node.stream)});
}

/// Throws InvalidArgument for a count below 0.
inline void require_not_negative(const char* what, std::int64_t count) {
  if (count < 0)
    throw InvalidArgument(std::string(what) + " by a count of " + std::to_string(count),
                          "give 0 or more");
}

}  // namespace treadle::array
