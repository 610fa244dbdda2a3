// SPDX-License-Identifier: MIT
// Gives the other files of this room access to the node of an Array.
#pragma once

#include "array/node.hpp"
#include "treadle/array/array.hpp"
#include "treadle/base/axis.hpp"

namespace treadle::array {

struct Access {
  /// Throws InvalidState for an Array that has no node.
  static Node& node(const Array& array) { return array.node(); }
  static Array array(NodeRef node) noexcept { return Array(node.release()); }
};

/// Counts the axis from 0. Throws IndexError.
inline std::size_t counted_axis(const Array& x, int axis) {
  return static_cast<std::size_t>(checked_axis(axis, x.rank()));
}
inline Shape shape_of(const Array& x) { return {x.shape().begin(), x.shape().end()}; }

}  // namespace treadle::array
