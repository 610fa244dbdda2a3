// SPDX-License-Identifier: MIT
#include "array/context.hpp"

#include <string>
#include <utility>

#include "array/evaluate.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/device.hpp"

namespace treadle::array {
namespace {

/// Adds without a locked instruction: one thread at a time changes the count, and others only read
/// it.
void add(std::atomic<std::uint32_t>& count, std::uint32_t step) noexcept {
  count.store(count.load(std::memory_order_relaxed) + step, std::memory_order_relaxed);
}

/// Takes a result out of the ring of its computation. The other results stay in the ring.
void leave_ring(Node& node) noexcept {
  Node* before = node.next_result;
  while (before->next_result != &node) before = before->next_result;
  before->next_result = before == node.next_result ? nullptr : node.next_result;
  node.next_result = nullptr;
}

/// Whether a pending node reads a leaf whose storage `wanted` accepts.
template <class Wanted>
bool has_leaf(const Node& node, const Wanted& wanted) {
  // The recursion is no deeper than Caps::steps.
  for (unsigned i = 0; i < node.arity; ++i) {
    const Node& operand = *node.operands[i];
    if (operand.is_leaf() ? wanted(*operand.storage) : has_leaf(operand, wanted)) return true;
  }
  return false;
}

}  // namespace

StreamRef stream_of(const Placement& placement) {
  return placement.stream != nullptr ? placement.stream : device::current_stream();
}

Context& Context::of(device::Device& device) { return device.slot<Context>(); }

StreamRef Context::stream(const StreamRef& likely) const {
  const device::Stream* const scoped = device::scoped_stream(device_);
  const device::Stream* const current =
      scoped != nullptr ? scoped : default_stream_.load(std::memory_order_relaxed);
  if (likely != nullptr && likely.get() == current) [[likely]]
    return likely;
  if (scoped != nullptr) return const_cast<device::Stream*>(scoped)->shared_from_this();
  StreamRef found = device_.default_stream();
  default_stream_.store(found.get(), std::memory_order_relaxed);
  return found;
}

void Context::enlist(Node& node) {
  const std::lock_guard lock(mutex);
  for (unsigned i = 0; i < node.arity; ++i) {
    Node& operand = *node.operands[i];
    if (operand.is_leaf())
      add(operand.storage->pending, 1);
    else
      ++operand.parents;
  }
  node.is_listed = true;
  node.previous = last_;
  node.next = nullptr;
  (last_ != nullptr ? last_->next : first_) = &node;
  last_ = &node;
  if (first_ == &node) tell_device();
}

void Context::unlist(Node& node) noexcept {
  if (!node.is_listed) return;
  node.is_listed = false;
  if (node.next_result != nullptr) [[unlikely]]
    leave_ring(node);
  for (unsigned i = 0; i < node.arity; ++i) {
    Node& operand = *node.operands[i];
    if (operand.is_leaf())
      add(operand.storage->pending, -1u);
    else
      --operand.parents;
  }
  (node.previous != nullptr ? node.previous->next : first_) = node.next;
  (node.next != nullptr ? node.next->previous : last_) = node.previous;
  node.previous = node.next = nullptr;
  if (first_ == nullptr) tell_device();
}

bool Context::reads(const Node& node, const Storage& storage) {
  return has_leaf(node, [&](const Storage& one) { return storage.distance_to(one).has_value(); });
}

AnnouncedUse::AnnouncedUse(Context& context, Storage& storage, const StreamRef& stream,
                           device::MemoryUse use)
    : context_(context), storage_(&storage), use_(use) {
  const auto is_free = [&] { return !storage.is_held_up(use); };
  std::unique_lock lock(context.mutex);
  while (!is_free()) {
    // The thread lets the context's lock go before it takes the host lock again: a thread that
    // waited for one of the two while it held the other could wait for ever.
    lock.unlock();
    {
      const WithoutHostLock released;
      std::unique_lock waiting(context.mutex);
      context.mutex.wait(context.changed, is_free);
    }
    lock.lock();
  }
  storage.order(stream, use);
  storage.announce(use);
}

AnnouncedUse::~AnnouncedUse() {
  {
    const LockedAnyway lock(context_.mutex);
    storage_->end_announced(use_);
  }
  context_.changed.notify_all();
}

void require_one_context(std::string_view operation, const Context& one, const Context& other) {
  if (&one == &other) [[likely]]
    return;
  const std::string &id = one.device().info().id, &other_id = other.device().info().id;
  throw InvalidArgument(std::string(operation) + ": arrays of " + id + " and " + other_id +
                            (id == other_id ? ", in different contexts" : ""),
                        "copy one of them to the device of the other");
}

/// Computes the pending nodes that `wanted` accepts and that have a handle, the oldest first.
template <class Wanted>
std::vector<NodeRef> Context::compute_where(Cut why, Wanted wanted) {
  std::vector<NodeRef> found;
  {
    const std::lock_guard lock(mutex);
    for (Node* node = first_; node != nullptr; node = node->next) {
      if (node->handles() == 0 || !wanted(*node)) continue;
      NodeRef& place = found.emplace_back();  // before there is a share that could be the last one
      if (node->find())
        place = NodeRef::adopt(node);
      else
        found.pop_back();
    }
  }
  compute(found, Grouping::siblings, why);
  return found;
}

void Context::compute_readers(const Storage& storage) {
  compute_where(Cut::written, [&](const Node& node) { return reads(node, storage); });
}

void Context::before_write(device::Location location, device::Stream* writer) {
  if (!location) return;
  if (writer == nullptr) ++escapes_;
  const auto is_there = [&](const Storage& one) { return one.handle == location.handle; };
  const std::vector<NodeRef> readers =
      compute_where(Cut::written, [&](const Node& node) { return has_leaf(node, is_there); });
  if (writer == nullptr) return;
  const StreamRef then = writer->shared_from_this();
  const device::Stream* ordered = writer->is_in_order() ? writer : nullptr;
  for (const NodeRef& reader : readers) {
    if (reader->stream.get() != ordered) order(reader->stream, then);
    ordered = reader->stream.get();
  }
}

void Context::before_mark(device::Stream* stream) {
  compute_where(Cut::marked,
                [&](const Node& node) { return stream == nullptr || node.stream.get() == stream; });
}

}  // namespace treadle::array
