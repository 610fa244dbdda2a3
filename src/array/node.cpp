// SPDX-License-Identifier: MIT
#include "array/node.hpp"

#include <array>
#include <new>
#include <utility>

#include "array/context.hpp"

namespace treadle::array {

namespace {

void unlist(Node& node) noexcept {
  if (node.context == nullptr || !node.is_listed) return;
  const LockedAnyway lock(node.context->mutex);
  node.context->unlist(node);
}

/// Memory of nodes that ended on this thread. It is plain data, so that it outlives the thread's
/// objects.
struct NodeStack {
#if defined(__SANITIZE_ADDRESS__)
  static constexpr unsigned most = 0;  // reused memory would hide a use after the end
#else
  static constexpr unsigned most = 256;  // programs often have so many pending nodes
#endif
  unsigned count;
  bool is_closed;
  std::array<void*, most + 1> memory;
};
constinit thread_local NodeStack ended_nodes = {};

/// Frees the memory when the thread ends.
struct NodeStackEnd {
  bool is_there = true;
  ~NodeStackEnd() {
    ended_nodes.is_closed = true;
    while (ended_nodes.count != 0) ::operator delete(ended_nodes.memory[--ended_nodes.count]);
  }
};
thread_local NodeStackEnd ended_nodes_end;

}  // namespace

void* Node::operator new(std::size_t size_bytes) {
  if (ended_nodes.count != 0) [[likely]]
    return ended_nodes.memory[--ended_nodes.count];
  return ::operator new(size_bytes);
}

void Node::operator delete(void* memory) noexcept {
  if (ended_nodes.count == 0) [[unlikely]]
    if (ended_nodes.is_closed || !ended_nodes_end.is_there) return ::operator delete(memory);
  if (ended_nodes.count == NodeStack::most) return ::operator delete(memory);
  ended_nodes.memory[ended_nodes.count++] = memory;
}

bool Node::is_last_handle() noexcept {
  const auto is_alone = [&] { return shares_.load(std::memory_order_acquire) == handle; };
  // Test is_leaf() first. A leaf is on no list, but another thread may have found the node in the
  // list before the node became a leaf.
  if (is_leaf()) return is_alone();
  if (!is_alone()) return false;
  const LockedAnyway lock(context->mutex);
  if (!is_alone()) return false;
  context->unlist(*this);
  return true;
}

void Node::destroy(Node* node) noexcept {
  // Chains of operands can have any length, so they are deleted without recursion. Nodes to be
  // deleted form a stack linked by `next`: a node that is on no list does not use `next` otherwise.
  unlist(*node);
  if (node->context != nullptr && node->context->mutex.is_mine()) [[unlikely]]
    return node->context->mutex.end_later(*node);
  node->next = nullptr;
  end_unlisted(node);
}

void Node::end_unlisted(Node* first) noexcept {
  for (Node* top = first; top != nullptr;) {
    Node* ended = top;
    top = ended->next;
    for (unsigned i = 0; i < ended->arity; ++i) {
      Node* operand = ended->operands[i];
      if (!operand->is_last_reference()) continue;
      unlist(*operand);
      operand->next = top;
      top = operand;
    }
    delete ended;
  }
}

void ContextMutex::end_later(Node& node) noexcept { node.next = std::exchange(ended_, &node); }

void ContextMutex::end_nodes(Node* first) noexcept { Node::end_unlisted(first); }

}  // namespace treadle::array
