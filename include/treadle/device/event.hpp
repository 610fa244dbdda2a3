// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace treadle::device {

class Device;

/// Whether an event takes the time; without, recording and waiting are cheaper.
enum class Timing { on, off };

/// A mark in a stream, with the time at which the device reached it. Any thread. Waited for by
/// streams and hosts; Stream::record() and Order::done set it, as often as wanted.
class Event {
 public:
  virtual ~Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Whose clock and streams it is for; kept alive by the event.
  Device& device() const noexcept { return *device_; }
  /// The same, to keep it alive.
  const std::shared_ptr<Device>& shared_device() const noexcept { return device_; }

  /// Blocks until what is recorded is done; returns at once if nothing was. Throws as
  /// Stream::synchronize(). Lock: none may be held that Stream::record() of this event needs.
  /// Lifetime: the caller keeps the event; a new record meanwhile does not lengthen the wait.
  virtual void synchronize() = 0;
  /// Whether what is recorded is done; true if nothing was. Does not block, needs no lock that a
  /// blocked synchronize() holds.
  virtual bool is_done() = 0;
  /// Seconds of the device's clock from what `start` recorded to what this one did; negative if
  /// `start` is the later one. Waits for neither: throws InvalidState if either was not recorded,
  /// is not done or has Timing::off, InvalidArgument if `start` is another device's.
  double seconds_since(const Event& start);

 protected:
  explicit Event(std::shared_ptr<Device> device) noexcept : device_(std::move(device)) {}

  /// `start` is of the same device. Lock and ordering as is_done(): it neither waits nor is kept
  /// waiting.
  virtual double elapsed_seconds(const Event& start) = 0;

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace treadle::device
