// SPDX-License-Identifier: MIT
#include "array/context.hpp"

#include <utility>

#include "treadle/device/current.hpp"
#include "treadle/device/device.hpp"

namespace treadle::array {
namespace {

/// Whether an array stands for it.
bool is_seen(const Node& node) noexcept {
  return node.handles.load(std::memory_order_relaxed) != 0;
}

void take(Node& node, std::vector<NodeRef>& found) {
  if (node.try_add_reference()) found.push_back(NodeRef::adopt(&node));
}

}  // namespace

StreamRef stream_of(const Placement& placement) {
  return placement.stream != nullptr ? placement.stream : device::current_stream();
}

Context& Context::of(device::Device& device) {
  return *static_cast<Context*>(device.in_slot(device::Device::Slot::arrays,
                                               [&] { return std::make_shared<Context>(device); }));
}

StreamRef Context::stream(const StreamRef& likely) const {
  const device::Stream* scoped = device::scoped_stream(device_);
  if (scoped == nullptr) return device_.default_stream();
  if (likely.get() == scoped) return likely;
  return const_cast<device::Stream*>(scoped)->shared_from_this();
}

void Context::enlist(Node& node) {
  const std::lock_guard lock(mutex);
  for (unsigned i = 0; i < node.arity; ++i) {
    Node& operand = *node.operands[i];
    if (operand.is_leaf())
      operand.storage->pending.fetch_add(1, std::memory_order_relaxed);
    else
      ++operand.parents;
  }
  node.is_listed = true;
  node.previous = last_;
  node.next = nullptr;
  (last_ != nullptr ? last_->next : first_) = &node;
  last_ = &node;
}

void Context::unlist(Node& node, const std::unique_lock<std::mutex>&) noexcept {
  if (!node.is_listed) return;
  node.is_listed = false;
  for (unsigned i = 0; i < node.arity; ++i) {
    Node& operand = *node.operands[i];
    if (operand.is_leaf())
      operand.storage->pending.fetch_sub(1, std::memory_order_relaxed);
    else
      --operand.parents;
  }
  (node.previous != nullptr ? node.previous->next : first_) = node.next;
  (node.next != nullptr ? node.next->previous : last_) = node.previous;
  node.previous = node.next = nullptr;
}

bool Context::reads(const Node& node, const Storage& storage) {
  // No deeper than Caps::steps.
  for (unsigned i = 0; i < node.arity; ++i) {
    const Node& operand = *node.operands[i];
    if (operand.is_leaf() ? operand.storage.get() == &storage : reads(operand, storage))
      return true;
  }
  return false;
}

std::vector<NodeRef> Context::readers_of(const Storage& storage) {
  std::vector<NodeRef> found;
  for (Node* node = first_; node != nullptr; node = node->next)
    if (is_seen(*node) && reads(*node, storage)) take(*node, found);
  return found;
}

}  // namespace treadle::array
