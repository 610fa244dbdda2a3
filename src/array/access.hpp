// SPDX-License-Identifier: MIT
// What the rest of the room may do with an Array.
#pragma once

#include "array/node.hpp"
#include "treadle/array/array.hpp"
#include "treadle/base/axis.hpp"

namespace treadle::array {

struct Access {
  /// Throws InvalidState where there is no array.
  static Node& node(const Array& array) { return array.node(); }
  static Array array(NodeRef node) noexcept { return Array(node.release()); }
};

/// The axis counted from 0. Throws IndexError.
inline std::size_t counted_axis(const Array& x, int axis) {
  return static_cast<std::size_t>(checked_axis(axis, x.rank()));
}
inline Shape shape_of(const Array& x) { return {x.shape().begin(), x.shape().end()}; }

}  // namespace treadle::array
