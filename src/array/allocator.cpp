// SPDX-License-Identifier: MIT
#include "treadle/array/allocator.hpp"

#include "array/access.hpp"

namespace treadle::array {

std::shared_ptr<Allocator> allocator_of(const Array& x) { return Access::node(x).allocator_now(); }

void set_allocator(const Array& x, std::shared_ptr<Allocator> allocator) {
  Node& node = Access::node(x);
  (node.is_leaf() ? node.storage->allocator : node.allocator) = std::move(allocator);
}

}  // namespace treadle::array
