// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "treadle/opencl/event.hpp"

namespace treadle::opencl {

/// Takes commands for one device. They run in order, unless the queue is made out of order; then
/// only events and barriers order them. Copies are the same queue. Destroying the last does not
/// wait: the platform finishes what was enqueued. Any thread.
class Queue : public Queries<Queue, CommandQueueInfo> {
 public:
  Queue(const Context& context, const Device& device, CommandQueueProperties properties = {});
  /// On the context's first device.
  explicit Queue(const Context& context, CommandQueueProperties properties = {});
  /// `properties` are pairs of name and value as clCreateCommandQueueWithProperties takes them; the
  /// 0 at the end is added. Needs OpenCL 2.0.
  static Queue with_properties(const Context& context, const Device& device,
                               std::span<const std::uint64_t> properties);
  /// Wraps a queue of another library.
  Queue(std::shared_ptr<const Table> table, RawQueue raw, Ownership ownership);

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(CommandQueueInfo parameter) const;
  /// Where it was made. Throws InvalidState if moved from; so does what follows.
  const Context& context() const { return state().context; }
  /// Whose commands it takes.
  const Device& device() const { return state().device; }
  /// As it was made.
  CommandQueueProperties properties() const;

  /// Hands everything enqueued to the device; does not wait.
  void flush() const;
  /// Blocks until everything enqueued is done.
  void finish() const;
  /// Done when `order.after` is done; without a list, when everything enqueued before is. Before
  /// OpenCL 1.2 later commands start after the events of a list, too.
  Event marker(const Order& order = {}) const;
  /// The same, and commands enqueued later start after it.
  Event barrier(const Order& order = {}) const;

  /// For calls of OpenCL itself, without a reference of its own.
  RawQueue raw() const { return state().handle.raw(); }
  /// Where the raw value is kept, for an argument that is passed by address.
  const RawQueue* raw_address() const { return state().handle.raw_address(); }
  /// The platform's entry points; valid as long as the queue.
  const Table& table() const { return state().handle.table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const { return state().handle.shared_table(); }
  bool operator==(const Queue& other) const noexcept {
    return state_ == other.state_ || (state_ && other.state_ && raw() == other.raw());
  }

 private:
  // Copies share one reference of OpenCL's: with NVIDIA's driver another takes a microsecond.
  struct State {
    Context context;
    Device device;
    Handle<RawQueue> handle;
  };

  Queue(Context context, Device device, Handle<RawQueue> handle);
  const State& state() const {
    if (state_ == nullptr) [[unlikely]]
      raise_empty();
    return *state_;
  }

  std::shared_ptr<const State> state_;
};

}  // namespace treadle::opencl
