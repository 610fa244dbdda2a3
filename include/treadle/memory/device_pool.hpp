// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {

/// A block of a pool: memory of one device, freed with it. Kernels take it as an argument.
class DeviceBlock {
 public:
  /// Allocates. Throws OutOfMemory.
  DeviceBlock(std::shared_ptr<device::Device> device, std::size_t size_bytes);
  DeviceBlock(DeviceBlock&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), location_(other.location_) {}
  DeviceBlock& operator=(DeviceBlock&&) = delete;
  ~DeviceBlock();

  /// Where it lies.
  device::Location location() const noexcept { return location_; }
  /// Whose memory it is.
  device::Device& device() const noexcept { return *device_; }

 private:
  std::shared_ptr<device::Device> device_;
  device::Location location_;
};

/// Memory of one device of any run-time, ordered by its streams.
class DeviceAllocator {
 public:
  using Block = DeviceBlock;                       ///< frees its memory when it ends
  using Stream = std::shared_ptr<device::Stream>;  ///< not null
  using Mark = std::shared_ptr<device::Event>;     ///< an event recorded on the stream

  /// Keeps the device. Throws InvalidArgument if there is none.
  explicit DeviceAllocator(std::shared_ptr<device::Device> device);
  /// For a pool that the device itself keeps: it must not keep the device.
  explicit DeviceAllocator(device::Device& device) noexcept;

  /// At least `size_bytes`, usable by every stream. Throws OutOfMemory.
  Block allocate(std::size_t size_bytes);
  /// Whether all that is queued on `stream` has ended; does not block. If it failed: no.
  bool is_done(const Stream& stream);
  /// Records what is queued on `stream` so far; does not block.
  Mark mark(const Stream& stream);
  /// Later work on `stream` starts after `mark`; does not block.
  void wait(const Stream& stream, const Mark& mark);
  /// Never null.
  const std::shared_ptr<device::Device>& device() const noexcept { return device_; }

 private:
  std::shared_ptr<device::Device> device_;
};

/// A pool of a device's memory:
///
///   memory::DevicePool pool{memory::DeviceAllocator(device)};
///   auto scratch = pool.allocate(size_bytes, stream);
///   stream->launch(kernel, shape, scratch.block());
///
/// What is queued on `stream` before `scratch` ends may still use it; see Pool for the order
/// between streams.
using DevicePool = Pool<DeviceAllocator>;

/// The pool that a device keeps for everybody, made by the first call: what Buffer::pooled() takes
/// from. What is put off on the device and keeps memory (treadle/device/deferred.hpp) is queued
/// before it grows much. What has been held for TREADLE_POOL_SECONDS, or is more than
/// TREADLE_POOL_PERCENT of the device's memory, goes back as PoolOptions has it. Lives as long as
/// the device. To pass a stream to it that is kept
/// elsewhere, pass stream->shared_from_this(), which does not keep the device.
DevicePool& pool_of(device::Device& device);

}  // namespace treadle::memory
