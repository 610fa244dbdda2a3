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

}  // namespace treadle::array
