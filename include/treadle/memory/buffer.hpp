// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <source_location>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "treadle/device/device.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/site.hpp"

namespace treadle::memory {

/// A contiguous host range of plain values.
template <class Range>
concept HostValues = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                     std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

/// Whose memory a Buffer is, and of which kind.
enum class BufferKind : std::uint8_t {
  owned,        ///< allocated for it
  pooled,       ///< of the device's pool; given back in stream order
  page_locked,  ///< host memory that the device reads and writes
  managed,      ///< moves between host and device; somebody else's
  svm,          ///< OpenCL's shared virtual memory; somebody else's
  adopted,      ///< another library's, kept alive by its owner
  user,         ///< what a user's allocator gave
};
/// "owned", "pooled", "page-locked", "managed", "svm", "adopted" or "user".
std::string_view buffer_kind_name(BufferKind kind) noexcept;

class BufferState;

/// Memory of one device, whoever allocated it: a place, a size, and a share in its ownership.
/// Copies and slices share it; the memory goes with the last of them, or earlier with free(). Keeps
/// the device alive. Different Buffers of one memory may be used by different threads.
class Buffer {
 public:
  /// No memory, and no device: everything but assignment and is_freed() throws InvalidState.
  Buffer() = default;
  /// Allocates with undefined contents; zero bytes are an empty Buffer. Blocking. Throws
  /// OutOfMemory, InvalidArgument if there is no device.
  Buffer(const std::shared_ptr<device::Device>& device, std::size_t size_bytes);
  /// Allocates and copies the whole range in. Blocking.
  template <HostValues Range>
  Buffer(const std::shared_ptr<device::Device>& device, const Range& values)
      : Buffer(device, std::ranges::size(values) * sizeof(std::ranges::range_value_t<Range>)) {
    copy_from(values);
  }

  /// Memory of the device's pool (memory::pool_of()), for use on `stream` without waiting: what was
  /// queued on the memory before comes first. When the last Buffer of it ends, the memory goes back
  /// in the order of that stream; a use on another stream is the caller's to order. Throws
  /// OutOfMemory naming the largest live allocations of the pool and where they were made.
  static Buffer pooled(const std::shared_ptr<device::Stream>& stream, std::size_t size_bytes,
                       Site site = std::source_location::current());
  /// Page-locked memory of the host: host_data() for the program, location() for copies, which are
  /// direct, and for kernels; on OpenCL, kernels take it only where traits.unified_memory. Throws
  /// OutOfMemory.
  static Buffer page_locked(const std::shared_ptr<device::Device>& device, std::size_t size_bytes);

  /// What adopt() is told beside the place.
  struct Adoption {
    BufferKind kind = BufferKind::adopted;  ///< adopted, managed, svm or user
    std::byte* host = nullptr;              ///< where the host may read and write it, if it may
    std::shared_ptr<void> owner = {};       ///< let go when the last Buffer ends
  };
  /// Memory that somebody else allocated, live as long as `adoption.owner`. Copies and fills take
  /// it, and it is counted: several adoptions of one place need not know of each other.
  static Buffer adopt(const std::shared_ptr<device::Device>& device, device::Location location,
                      std::size_t size_bytes, Adoption adoption);

  /// A part of this memory, which it keeps alive. Throws InvalidArgument for bytes that are not
  /// within it.
  Buffer slice(std::size_t offset_bytes, std::size_t size_bytes) const;

  /// Frees the memory now, for every Buffer of it; work that is queued already may still use memory
  /// of the device. Throws InvalidState the second time.
  void free();
  /// True as well where it never had memory, or was moved from.
  bool is_freed() const noexcept;

  /// The place, for code that the library does not see: memory whose place was asked for has
  /// escaped. Throws InvalidState after free().
  device::Location location() const;
  /// The same for copies, fills and launches, which take a Buffer itself and need nobody's care.
  operator device::Location() const {  // implicit: stream->fill(buffer, pattern, count)
    require_live();
    return location_;
  }
  /// Whether location() or host_data() of a Buffer of this memory was asked for. No expression of
  /// arrays that reads such memory waits.
  bool has_escaped() const noexcept;
  /// Whose memory it is.
  device::Device& device() const { return *shared_device(); }
  /// The same, to keep it alive.
  const std::shared_ptr<device::Device>& shared_device() const;
  /// As it was asked for. Stays after free().
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Whose memory it is. Stays after free().
  BufferKind kind() const noexcept;
  /// What adopt() was told keeps the memory alive; null for a Buffer's own.
  std::shared_ptr<void> owner() const;
  /// Where the host reads and writes it; null for memory that only the device sees. Work that is
  /// queued is not waited for. It has escaped then. Throws InvalidState after free().
  std::byte* host_data() const;
  /// Whether there are other Buffers of this memory.
  bool is_shared() const noexcept;
  /// Whether it is of the same allocation.
  bool shares_with(const Buffer& other) const noexcept {
    return state_ == other.state_ && state_ != nullptr;
  }

  /// Copies the whole host range to the start of this memory, on the device's default stream, and
  /// waits. Throws InvalidArgument naming both sizes if the range is larger.
  template <HostValues Range>
  void copy_from(const Range& values) {
    copy_in(std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
            nullptr);
  }
  /// The same on `stream` without waiting: the range must live until the stream is past the copy.
  template <HostValues Range>
  void copy_from(const Range& values, device::Stream& stream) {
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
  void copy_to(Range&& values, device::Stream& stream) const {
    copy_out(
        std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
        &stream);
  }

  Buffer(const Buffer& other) noexcept;
  Buffer(Buffer&& other) noexcept
      : location_(other.location_),
        state_(std::exchange(other.state_, nullptr)),
        size_bytes_(other.size_bytes_) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(state_, other.state_);
    std::swap(location_, other.location_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  ~Buffer();

 private:
  Buffer(BufferState* state, device::Location location, std::size_t size_bytes) noexcept
      : location_(location), state_(state), size_bytes_(size_bytes) {}
  void copy_in(std::span<const std::byte> host, device::Stream* stream);
  void copy_out(std::span<std::byte> host, device::Stream* stream) const;
  void require_live() const {
    if (is_freed()) [[unlikely]]
      refuse_freed();
  }
  [[noreturn]] void refuse_freed() const;

  device::Location location_;  // first: what makes the state sets it
  BufferState* state_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace treadle::memory

namespace treadle {

using memory::Buffer;

}  // namespace treadle
