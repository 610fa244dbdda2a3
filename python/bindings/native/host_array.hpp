// SPDX-License-Identifier: MIT
// Host memory that Python objects lend: arrays with strides, and how long queued copies need the
// memory.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "treadle/device/copy.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The memory that an object lends by Python's buffer interface, held as long as this object lives.
class HostArray {
 public:
  enum class Access { read, write };
  /// Throws the exporter's exception; InvalidArgument for negative strides.
  HostArray(nb::handle object, Access access);
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() { PyBuffer_Release(&view_); }

  /// The size of all elements.
  std::size_t size_bytes() const noexcept { return static_cast<std::size_t>(view_.len); }
  /// Whether the elements fill all bytes from the first to the last element, in C's or Fortran's
  /// order.
  bool is_contiguous() const noexcept { return levels_.empty(); }
  /// The bytes of a contiguous array.
  std::span<std::byte> span() const noexcept {
    return {static_cast<std::byte*>(view_.buf), size_bytes()};
  }

  /// A part of the array that one copy can move. On the device the elements of the whole array are
  /// dense in C's order; this part begins at `offset`.
  struct Part {
    std::size_t offset;
    std::byte* host;
    device::Pitch device_pitch, host_pitch;
    device::Box box;
  };
  /// The smallest number of parts: one for a contiguous array, none for an empty one.
  std::vector<Part> parts() const;

 private:
  /// A dimension that cannot be joined with the next inner one.
  struct Level {
    std::size_t count, stride;
  };
  void join_dimensions();
  void add_parts(std::vector<Part>& parts, std::size_t level, std::size_t offset,
                 std::byte* host) const;

  Py_buffer view_{};
  std::size_t row_bytes_ = 0;  // bytes that lie together
  std::vector<Level> levels_;  // dimensions around the row, from outer to inner
};

/// A copy that does not wait. It keeps the host's memory until the device has passed the copy.
class HostCopy {
 public:
  /// First drops the memory of earlier copies that are over. Throws as HostArray.
  HostCopy(nb::handle host, HostArray::Access access);

  const HostArray& host() const noexcept { return *host_; }
  /// Queues a copy between the beginning of `memory` and the host, in the direction of `access`.
  /// Throws InvalidArgument naming both sizes if the host's array is larger.
  void queue(device::Stream& stream, const memory::Buffer& memory, const device::Order& order);
  /// Keeps the host's memory. Call this after queue(), with the same stream. Throws only for lack
  /// of memory.
  void keep(device::Stream& stream);

 private:
  void queue_parts(device::Stream& stream, const memory::Buffer& memory,
                   const device::Order& order);

  std::unique_ptr<HostArray> host_;
  HostArray::Access access_;
};

/// Whether the driver has filled such host memory when a non-blocking copy returns. CUDA's driver
/// copies pageable memory itself, and does not react to Ctrl-C meanwhile.
bool is_filled_at_once(device::Device& device, const void* host);

/// Keeps `what` until `stream` has passed the work queued now. Throws only for lack of memory.
/// Needs the GIL; `what` is dropped with the GIL.
void keep_until_past(device::Stream& stream, std::shared_ptr<void> what);
/// Keeps `owner` until all copies of the result are gone and `stream` has passed the work that was
/// queued by then. `owner` is dropped with the GIL.
std::shared_ptr<void> end_in_order(std::shared_ptr<void> owner,
                                   std::shared_ptr<device::Stream> stream);

}  // namespace treadle::bindings
