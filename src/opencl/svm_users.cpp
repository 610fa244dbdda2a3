// SPDX-License-Identifier: MIT
#include "opencl/svm_users.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace treadle::opencl {
namespace {

/// Nothing here keeps a queue, and so its context: what ends with that may own shared memory.
struct LiveQueue {
  std::shared_ptr<const Table> table;
  RawQueue raw;
};
struct Users {
  int allocations = 0;
  std::vector<LiveQueue> queues = {};
  std::vector<Event> ends = {};  ///< of queues that have gone, until they are done
};
struct AllUsers {
  std::mutex mutex;
  std::map<RawContext, Users> of;
};
AllUsers& users() {
  static AllUsers& instance = *new AllUsers;  // never destroyed: static memory may end after it
  return instance;
}

/// Whether the queue was noted. Call with the lock.
bool forget(RawContext context, RawQueue queue) noexcept {
  const auto found = users().of.find(context);
  if (found == users().of.end()) return false;
  return std::erase_if(found->second.queues,
                       [&](const LiveQueue& one) { return one.raw == queue; }) != 0;
}

void forget_end(RawContext context, RawEvent end) {
  Event gone;  // ends without the lock
  const std::lock_guard lock(users().mutex);
  const auto found = users().of.find(context);
  if (found == users().of.end()) return;
  std::vector<Event>& ends = found->second.ends;
  const auto place = std::ranges::find(ends, end, &Event::raw);
  if (place == ends.end()) return;
  gone = std::move(*place);
  ends.erase(place);
}

Event end_of(const Queue& queue) {
  Event end = queue.marker();
  queue.flush();  // nobody else may hand it over
  return end;
}

}  // namespace

void note_svm_use_now(const Queue& queue) {
  const std::lock_guard lock(users().mutex);
  const auto found = users().of.find(queue.context().raw());
  if (found == users().of.end()) return;
  std::vector<LiveQueue>& known = found->second.queues;
  if (std::ranges::find(known, queue.raw(), &LiveQueue::raw) == known.end())
    known.push_back({queue.shared_table(), queue.raw()});
}

void note_svm_queue_end(const Context& context, const Handle<RawQueue>& queue) noexcept {
  if (svm_allocations.load(std::memory_order_relaxed) == 0) return;
  try {
    {
      const std::lock_guard lock(users().mutex);
      if (!forget(context.raw(), queue.raw())) return;
    }
    const Event end = end_of(Queue(queue.shared_table(), queue.raw(), Ownership::retain));
    {
      const std::lock_guard lock(users().mutex);
      const auto found = users().of.find(context.raw());
      if (found == users().of.end()) return;
      found->second.ends.push_back(end);
    }
    end.set_callback(CommandExecutionStatus::complete,
                     [context = context.raw(), raw = end.raw()](int) { forget_end(context, raw); });
  } catch (const std::exception&) {
    // The platform takes no more commands, or there is no memory: the work is as good as done.
  }
}

std::vector<Event> svm_uses(const Context& context, const Queue* left_out) {
  std::vector<Queue> queues;
  std::vector<Event> uses;
  {
    const std::lock_guard lock(users().mutex);
    const auto found = users().of.find(context.raw());
    if (found == users().of.end()) return {};
    uses = found->second.ends;
    for (const LiveQueue& queue : found->second.queues)
      if (left_out == nullptr || left_out->raw() != queue.raw)
        queues.emplace_back(queue.table, queue.raw, Ownership::retain);
  }
  for (const Queue& queue : queues) uses.push_back(end_of(queue));
  std::erase_if(uses, [](const Event& use) { return use.is_done(); });
  return uses;
}

void add_svm(RawContext context) {
  const std::lock_guard lock(users().mutex);
  ++users().of[context].allocations;
  ++svm_allocations;
}

void remove_svm(RawContext context) noexcept {
  Users ended;  // releases its events without the lock
  const std::lock_guard lock(users().mutex);
  const auto found = users().of.find(context);
  if (found == users().of.end()) return;
  --svm_allocations;
  if (--found->second.allocations != 0) return;
  std::swap(ended, found->second);
  users().of.erase(found);
}

}  // namespace treadle::opencl
