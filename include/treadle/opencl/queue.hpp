// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
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
  /// Where it was made.
  const Context& context() const noexcept { return context_; }
  /// Whose commands it takes.
  const Device& device() const noexcept { return device_; }
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
  RawQueue raw() const { return handle_.raw(); }
  /// Where the raw value is kept, for an argument that is passed by address.
  const RawQueue* raw_address() const noexcept { return handle_.raw_address(); }
  /// The platform's entry points; valid as long as the queue.
  const Table& table() const { return handle_.table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const { return handle_.shared_table(); }
  bool operator==(const Queue& other) const noexcept { return handle_ == other.handle_; }

 private:
  Queue(Context context, Device device, Handle<RawQueue> handle);

  Context context_;
  Device device_;
  Handle<RawQueue> handle_;
};

}  // namespace treadle::opencl
