// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/cuda/handle.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

struct IpcEventHandle;  // ipc.hpp

/// CUevent_flags; combine with |.
enum class EventFlags : unsigned {
  none = 0,
  blocking_sync = 1,
  disable_timing = 2,
  interprocess = 4
};
/// Both sets of flags; `interprocess` wants disable_timing beside it.
constexpr EventFlags operator|(EventFlags a, EventFlags b) noexcept {
  return static_cast<EventFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// What a Handle of an event ends with.
void destroy_event(const Context& context, RawEvent raw) noexcept;
template <>
inline constexpr const char* handle_kind<destroy_event> = "cuda event";

/// A mark in a stream, with a time stamp unless that is disabled.
class Event {
 public:
  /// Made in the current context.
  explicit Event(EventFlags flags = EventFlags::none);
  explicit Event(const Context& context, EventFlags flags = EventFlags::none);

  /// The event of another library in `context`, which destroys it and must let it live as long as
  /// this. Throws InvalidArgument for null.
  static Event wrap(const Context& context, RawEvent raw);

  /// Marks the work queued on `stream` so far; a second record replaces the first.
  void record(StreamRef stream = {}) const;
  /// Blocks until the recorded work is done; returns at once if nothing was recorded.
  void synchronize() const;
  /// Whether the recorded work is done; does not block.
  bool is_done() const;
  /// Milliseconds of device time from `start` to this event. Both must be done and have timing.
  float milliseconds_since(const Event& start) const;

  /// For calls of the driver itself, while this Event lives.
  RawEvent raw() const noexcept { return handle_.raw(); }
  /// Where it was made, detached or not.
  const Context& context() const noexcept { return handle_.context(); }

 private:
  friend Event open_ipc_event(const IpcEventHandle& handle);
  Event(Context context, RawEvent raw) noexcept : handle_(std::move(context), raw) {}
  explicit Event(Handle<RawEvent, destroy_event> handle) noexcept : handle_(std::move(handle)) {}
  Handle<RawEvent, destroy_event> handle_;
};

}  // namespace treadle::cuda
