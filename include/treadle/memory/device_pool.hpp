// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "treadle/device/buffer.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {

/// Memory of one device of any run-time, ordered by its streams.
class DeviceAllocator {
 public:
  using Block = device::Buffer;  ///< frees its memory when it ends, as device::Buffer does
  using Stream = std::shared_ptr<device::Stream>;  ///< not null
  using Mark = std::shared_ptr<device::Event>;     ///< an event recorded on the stream

  /// Throws InvalidArgument if there is no device.
  explicit DeviceAllocator(std::shared_ptr<device::Device> device);

  /// At least `size_bytes`, usable by every stream. Throws OutOfMemory.
  Block allocate(std::size_t size_bytes);
  /// Records what is queued on `stream` so far; does not block.
  Mark mark(const Stream& stream);
  /// Later work on `stream` starts after `mark`; does not block.
  void wait(const Stream& stream, const Mark& mark);
  /// Never null.
  const std::shared_ptr<device::Device>& device() const noexcept { return device_; }

 private:
  std::shared_ptr<device::Device> device_;
};

/// The pool of a device's memory:
///
///   memory::DevicePool pool{memory::DeviceAllocator(device)};
///   auto scratch = pool.allocate(size_bytes, stream);
///   stream->launch(kernel, shape, scratch.block());
///
/// The block is a device::Buffer of the pool. What is queued on `stream` before `scratch` ends may
/// still use it; see Pool for the order between streams.
using DevicePool = Pool<DeviceAllocator>;

}  // namespace treadle::memory
