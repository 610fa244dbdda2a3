// SPDX-License-Identifier: MIT
#include "array/node.hpp"

#include "array/context.hpp"

namespace treadle::array {

namespace {

void unlist(Node& node) noexcept {
  if (node.context == nullptr || node.is_leaf()) return;
  const std::unique_lock lock(node.context->mutex);
  node.context->unlist(node, lock);
}

}  // namespace

void Node::destroy(Node* node) noexcept {
  // Chains of operands are as long as programs like: they are taken apart without recursion. A node
  // that is on no list any more lends its `next` to the stack of those to be deleted.
  unlist(*node);
  node->next = nullptr;
  for (Node* top = node; top != nullptr;) {
    Node* ended = top;
    top = ended->next;
    for (unsigned i = 0; i < ended->arity; ++i) {
      Node* operand = ended->operands[i];
      if (operand->references.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      unlist(*operand);
      operand->next = top;
      top = operand;
    }
    delete ended;
  }
}

}  // namespace treadle::array
