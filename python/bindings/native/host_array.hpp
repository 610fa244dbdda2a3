// SPDX-License-Identifier: MIT
// Memory of the host that Python objects lend: arrays with strides, and how long queued copies need
// them.
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

/// The memory that an object with Python's buffer interface lends, held as long as this lives.
class HostArray {
 public:
  enum class Access { read, write };
  /// Throws what the exporter raises; InvalidArgument for strides below zero.
  HostArray(nb::handle object, Access access);
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() { PyBuffer_Release(&view_); }

  /// Of its elements together.
  std::size_t size_bytes() const noexcept { return static_cast<std::size_t>(view_.len); }
  /// Whether the elements fill all bytes from the first to the last one, in C or in Fortran order.
  bool is_contiguous() const noexcept { return levels_.empty(); }
  /// Of a contiguous one.
  std::span<std::byte> span() const noexcept {
    return {static_cast<std::byte*>(view_.buf), size_bytes()};
  }

  /// A part of it that one copy can move: the elements of the whole lie on the device without gaps,
  /// in C order, those of this part from `offset` on.
  struct Part {
    std::size_t offset;
    std::byte* host;
    device::Pitch device_pitch, host_pitch;
    device::Box box;
  };
  /// As few as do; one for a contiguous array, none for an empty one.
  std::vector<Part> parts() const;

 private:
  /// A dimension that is left after those whose elements follow each other were joined.
  struct Level {
    std::size_t count, stride;
  };
  void join_dimensions();
  void add_parts(std::vector<Part>& parts, std::size_t level, std::size_t offset,
                 std::byte* host) const;

  Py_buffer view_{};
  std::size_t row_bytes_ = 0;  // what lies together
  std::vector<Level> levels_;  // outer to inner, around the row
};

/// A copy that does not wait keeps what the host lent until the device is past it.
class HostCopy {
 public:
  /// Lets go of what copies before this one kept. Throws as HostArray.
  HostCopy(nb::handle host, HostArray::Access access);

  const HostArray& host() const noexcept { return *host_; }
  /// Queues a copy between `memory`, from its start on, and the host, in the direction that the
  /// access says. Throws InvalidArgument naming both sizes if the host's is larger.
  void queue(device::Stream& stream, const memory::Buffer& memory, const device::Order& order);
  /// After queue(), on the same stream. Never throws but for lack of memory.
  void keep(device::Stream& stream);

 private:
  void queue_parts(device::Stream& stream, const memory::Buffer& memory,
                   const device::Order& order);

  std::unique_ptr<HostArray> host_;
  HostArray::Access access_;
};

/// Whether the driver has filled such memory of the host when a copy returns that does not wait.
/// CUDA's driver copies pageable memory itself, and does not hear Ctrl-C meanwhile.
bool is_filled_at_once(device::Device& device, const void* host);

/// Keeps something until `stream` is past what is queued on it. Never throws but for lack of
/// memory. Needs the GIL, with which it ends as well.
void keep_until_past(device::Stream& stream, std::shared_ptr<void> what);
/// Keeps `owner` until its last share has ended and `stream` is past the work that was queued on it
/// then. `owner` ends with the GIL.
std::shared_ptr<void> end_in_order(std::shared_ptr<void> owner,
                                   std::shared_ptr<device::Stream> stream);

}  // namespace treadle::bindings
