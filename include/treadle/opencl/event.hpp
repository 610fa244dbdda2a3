// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "treadle/opencl/context.hpp"

namespace treadle::opencl {

/// One command that was enqueued, or a user's own event. Copies are the same event. Any thread.
class Event : public Queries<Event, EventInfo> {
 public:
  /// No event: what an Order without_event gives.
  Event() = default;
  /// Wraps an event of another library.
  Event(std::shared_ptr<const Table> table, RawEvent raw, Ownership ownership)
      : handle_(std::move(table), raw, ownership) {}

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(EventInfo parameter) const;
  /// Blocks until the command is done. Throws DeviceError
  /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, naming the command and its status, if it failed.
  void wait() const;
  /// Whether the command ended, well or not; does not block.
  bool is_done() const;
  /// 0 complete, 1 running, 2 submitted, 3 queued; negative: the error that ended it.
  int status() const;
  /// Nanoseconds of the device's clock. The queue needs CommandQueueProperties::profiling_enable,
  /// and the event must be done.
  std::uint64_t profiling(ProfilingInfo parameter) const;
  /// Calls `callback(status)` once, when the command reaches `status` (complete, running or
  /// submitted) or fails, on a thread of the platform's. What it throws becomes a warning. It must
  /// not block.
  void set_callback(CommandExecutionStatus status, std::function<void(int)> callback) const;

  /// False where there is no event: every question throws InvalidState then.
  explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
  /// For calls of OpenCL itself, without a reference of its own. Throws InvalidState if empty.
  RawEvent raw() const { return handle_.raw(); }
  /// The platform's entry points. Throws InvalidState if empty.
  const Table& table() const { return handle_.table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const { return handle_.shared_table(); }
  bool operator==(const Event& other) const noexcept { return handle_ == other.handle_; }

 private:
  Handle<RawEvent> handle_;
};

/// An event whose end the program decides. Copies are the same event. Set it before the last copy
/// is destroyed: commands that wait for an event that can no longer be set wait for ever, and so
/// does, on some platforms, the release of its context.
class UserEvent : public Event {
 public:
  /// Not done until set_status() is called.
  explicit UserEvent(const Context& context);
  /// 0 for done, or a negative error code; once. Commands that wait for it start, or fail. Throws
  /// DeviceError CL_INVALID_OPERATION the second time, also where the platform would allow it.
  void set_status(int status) const;
};

/// Blocks until all are done. Throws as Event::wait; InvalidArgument for none.
void wait_for(std::span<const Event> events);

/// Events to wait for, not owned: `{}`, one event, or `{a, b}`. Events must live until the call
/// that takes the list returns.
class WaitList {
 public:
  WaitList() = default;
  /// Implicit: one event is a list of one. Throws InvalidState for an empty event.
  WaitList(const Event& event) : raw_{event.raw()} {}
  WaitList(std::initializer_list<WaitList> lists) {
    for (const WaitList& list : lists) raw_.insert(raw_.end(), list.raw_.begin(), list.raw_.end());
  }
  explicit WaitList(std::span<const Event> events) {
    for (const Event& event : events) raw_.push_back(event.raw());
  }
  /// Throws InvalidState for an empty event.
  void add(const Event& event) { raw_.push_back(event.raw()); }
  /// As OpenCL counts them.
  unsigned size() const noexcept { return static_cast<unsigned>(raw_.size()); }
  /// Null if empty, as OpenCL wants it.
  const RawEvent* data() const noexcept { return raw_.empty() ? nullptr : raw_.data(); }

 private:
  std::vector<RawEvent> raw_;
};

/// When a command starts, and whether the caller wants an event for its end.
struct Order {
  WaitList after = {};         ///< starts when all of these are done
  bool without_event = false;  ///< saves making one: the call returns an empty Event
};

/// Whether a call returns before its command is done.
enum class Blocking : bool { no, yes };

}  // namespace treadle::opencl
