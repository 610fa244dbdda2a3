// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "treadle/device/device.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {

/// A contiguous host range of plain values.
template <class Range>
concept HostValues = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                     std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

/// Memory of one device, which it keeps alive; freed by the destructor or by free(). Moved, not
/// copied. Any thread, one at a time.
class Buffer {
 public:
  /// Allocates with undefined contents; zero bytes are an empty Buffer. Throws OutOfMemory.
  Buffer(std::shared_ptr<Device> device, std::size_t size_bytes);
  /// Allocates and copies the whole range in. Blocking.
  template <HostValues Range>
  Buffer(std::shared_ptr<Device> device, const Range& values)
      : Buffer(std::move(device),
               std::ranges::size(values) * sizeof(std::ranges::range_value_t<Range>)) {
    copy_from(values);
  }
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// Frees now; work that is queued already may still use it. Throws InvalidState the second time.
  void free();
  /// True as well where it was moved from.
  bool is_freed() const noexcept { return device_ == nullptr; }

  /// Throw InvalidState after free().
  Location location() const {
    require_live();
    return location_;
  }
  /// Whose memory it is.
  Device& device() const { return *shared_device(); }
  /// The same, to keep it alive.
  const std::shared_ptr<Device>& shared_device() const {
    require_live();
    return device_;
  }
  /// As it was asked for. Stays after free().
  std::size_t size_bytes() const noexcept { return size_bytes_; }

  /// Copies the whole host range to the start of this memory, on the device's default stream, and
  /// waits. Throws InvalidArgument naming both sizes if the range is larger.
  template <HostValues Range>
  void copy_from(const Range& values) {
    copy_in(std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
            nullptr);
  }
  /// The same on `stream` without waiting: the range must live until the stream is past the copy.
  template <HostValues Range>
  void copy_from(const Range& values, Stream& stream) {
    copy_in(std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
            &stream);
  }
  /// Fills the whole host range from the start of this memory, after all work on the default
  /// stream, and waits.
  template <HostValues Range>
  void copy_to(Range&& values) const {
    copy_out(
        std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
        nullptr);
  }
  /// The same on `stream` without waiting.
  template <HostValues Range>
  void copy_to(Range&& values, Stream& stream) const {
    copy_out(
        std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
        &stream);
  }

 private:
  void copy_in(std::span<const std::byte> host, Stream* stream);
  void copy_out(std::span<std::byte> host, Stream* stream) const;
  void release() noexcept;
  void require_live() const {
    if (device_ == nullptr) [[unlikely]]
      refuse_freed();
  }
  [[noreturn]] void refuse_freed() const;

  std::shared_ptr<Device> device_;
  Location location_;
  std::size_t size_bytes_ = 0;
};

inline Argument::Argument(const Buffer& buffer)
    : location_(buffer.location()),
      size_bytes_(sizeof(std::uint64_t)),
      device_(&buffer.device()),
      kind_(Kind::memory) {}

}  // namespace treadle::device
