// SPDX-License-Identifier: MIT
// What the rest of the room may do with an Array.
#pragma once

#include "array/node.hpp"
#include "treadle/array/array.hpp"

namespace treadle::array {

struct Access {
  /// Throws InvalidState where there is no array.
  static Node& node(const Array& array) { return array.node(); }
  static Array array(NodeRef node) noexcept { return Array(node.release()); }
};

/// The axis counted from 0. Throws IndexError.
inline std::size_t counted_axis(const Array& x, int axis) {
  // sliced() names an axis that is not there.
  if (axis < -x.rank() || axis >= x.rank()) x.layout().sliced(axis, 0, 0);
  return static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
}
inline Shape shape_of(const Array& x) { return {x.shape().begin(), x.shape().end()}; }

}  // namespace treadle::array
