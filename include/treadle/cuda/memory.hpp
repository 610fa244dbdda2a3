// SPDX-License-Identifier: MIT
// Sizes that were negative before they became unsigned are refused with InvalidArgument, before the
// driver is asked.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include "treadle/cuda/handle.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

template <class T>
struct LaunchArgument;  // launch.hpp

/// A contiguous host range of plain values: what can be copied from, and to if it is not const.
template <class Range>
concept HostRange = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                    std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

// What Handles of memory end with: each in its own context, and a failure is a warning.
/// Device and managed memory.
void free_device_memory(const Context& context, DevicePointer address) noexcept;
template <>
inline constexpr const char* handle_kind<free_device_memory> = "cuda device memory";
/// Page-locked memory of the driver's.
void free_host_memory(const Context& context, void* data) noexcept;
template <>
inline constexpr const char* handle_kind<free_host_memory> = "cuda host memory";
/// Page-locked memory of the caller's.
void unregister_host_memory(const Context& context, void* data) noexcept;
template <>
inline constexpr const char* handle_kind<unregister_host_memory> = "cuda registered memory";

/// Memory of the device, linear or pitched. Freed in its own context, by the destructor or by
/// free().
class DeviceMemory {
 public:
  /// Allocates in the current context. Zero bytes is the driver's error CUDA_ERROR_INVALID_VALUE.
  /// Throws OutOfMemory.
  explicit DeviceMemory(std::size_t size_bytes);
  DeviceMemory(const Context& context, std::size_t size_bytes);
  /// Allocates `height` rows of `width_bytes`, each row aligned for elements of `element_bytes` (4,
  /// 8 or 16).
  static DeviceMemory pitched(std::size_t width_bytes, std::size_t height, unsigned element_bytes);

  /// Frees now; the memory must not be in use. Throws InvalidState the second time.
  void free();
  /// True as well where it was moved from.
  bool is_freed() const noexcept { return !handle_; }

  /// Throws InvalidState after free().
  DevicePointer address() const;
  /// Usable bytes: for pitched memory with the gaps between rows. Stays after free().
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Distance between rows in bytes; 0 for linear memory.
  std::size_t pitch_bytes() const noexcept { return pitch_bytes_; }
  /// Where it was allocated, detached or not.
  const Context& context() const noexcept { return handle_.context(); }

  /// Copies the whole host range, to the start of this memory; blocks until the bytes are there.
  /// copy.hpp says what is ordered with what. Throws ShapeError naming both sizes if the range is
  /// larger than this memory.
  template <HostRange Range>
  void copy_from(const Range& host) {
    copy_in(std::as_bytes(std::span(std::ranges::data(host), std::ranges::size(host))));
  }
  /// Fills the whole host range from the start of this memory. Blocks until the data is there.
  template <HostRange Range>
  void copy_to(Range&& host) const {
    copy_out(std::as_writable_bytes(std::span(std::ranges::data(host), std::ranges::size(host))));
  }
  /// Asynchronous where the host range is page-locked; the range must live until the stream is past
  /// the copy.
  template <HostRange Range>
  void copy_from_async(const Range& host, StreamRef stream) {
    copy_in_async(std::as_bytes(std::span(std::ranges::data(host), std::ranges::size(host))),
                  stream);
  }
  /// As copy_to(), in the order of `stream`; the range must live until the stream is past it.
  template <HostRange Range>
  void copy_to_async(Range&& host, StreamRef stream) const {
    copy_out_async(
        std::as_writable_bytes(std::span(std::ranges::data(host), std::ranges::size(host))),
        stream);
  }

 private:
  friend struct LaunchArgument<DeviceMemory>;
  friend class MemoryPool;
  friend DeviceMemory allocate_async(std::size_t size_bytes, StreamRef stream);
  friend void free_async(DeviceMemory& memory, StreamRef stream);
  DeviceMemory() = default;
  DeviceMemory(Handle<DevicePointer, free_device_memory> handle, std::size_t size_bytes) noexcept
      : handle_(std::move(handle)), size_bytes_(size_bytes) {}
  void copy_in(std::span<const std::byte> host);
  void copy_out(std::span<std::byte> host) const;
  void copy_in_async(std::span<const std::byte> host, StreamRef stream);
  void copy_out_async(std::span<std::byte> host, StreamRef stream) const;

  Handle<DevicePointer, free_device_memory> handle_;
  std::size_t size_bytes_ = 0, pitch_bytes_ = 0;
};

/// CU_MEMHOSTALLOC_*; combine with |.
enum class HostMemoryFlags : unsigned {
  none = 0,
  portable = 1,
  device_map = 2,
  write_combined = 4
};
/// Both sets of flags.
constexpr HostMemoryFlags operator|(HostMemoryFlags a, HostMemoryFlags b) noexcept {
  return static_cast<HostMemoryFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// Page-locked host memory: copies to and from it are asynchronous; with device_map, kernels use it
/// in place.
class HostMemory {
 public:
  /// Allocates in the current context. Zero bytes is the driver's error. Throws OutOfMemory.
  explicit HostMemory(std::size_t size_bytes, HostMemoryFlags flags = HostMemoryFlags::none);

  /// Frees now; no copy may be in flight. Throws InvalidState the second time.
  void free();
  /// True as well where it was moved from.
  bool is_freed() const noexcept { return !handle_; }

  /// Throws InvalidState after free().
  std::byte* data() const;
  /// As it was asked for. Stays after free().
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// As many whole T as there is room for. Throws InvalidState after free().
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data()), size_bytes_ / sizeof(T)};
  }
  /// The address kernels use (cuMemHostGetDevicePointer).
  DevicePointer device_pointer() const;
  /// As the driver has them: it may have added some. Throws InvalidState after free().
  HostMemoryFlags flags() const;
  /// Where it was allocated; with `portable` every context may use it.
  const Context& context() const noexcept { return handle_.context(); }

 private:
  Handle<void*, free_host_memory> handle_;
  std::size_t size_bytes_ = 0;
};

/// CU_MEMHOSTREGISTER_*; combine with |.
enum class RegisterFlags : unsigned {
  none = 0,
  portable = 1,
  device_map = 2,
  io_memory = 4,
  read_only = 8
};
constexpr RegisterFlags operator|(RegisterFlags a, RegisterFlags b) noexcept {
  return static_cast<RegisterFlags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// Page-locks memory the caller owns, for as long as this object lives. The caller keeps the memory
/// alive.
class RegisteredMemory {
 public:
  /// In the current context. Throws DeviceError for what is registered already or is no memory.
  RegisteredMemory(void* data, std::size_t size_bytes, RegisterFlags flags = RegisterFlags::none);

  /// Unlocks now. Throws InvalidState the second time.
  void unregister();
  /// False after unregister(), and where it was moved from.
  bool is_registered() const noexcept { return static_cast<bool>(handle_); }
  /// The caller's own pointer. Throws InvalidState after unregister().
  std::byte* data() const;
  /// As it was given. Stays after unregister().
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// The address kernels use; needs device_map. Throws InvalidState after unregister().
  DevicePointer device_pointer() const;
  /// Where it was registered; with `portable` every context may use it.
  const Context& context() const noexcept { return handle_.context(); }

 private:
  Handle<void*, unregister_host_memory> handle_;
  std::size_t size_bytes_ = 0;
};

/// CUmemAttach_flags.
enum class AttachFlags : unsigned { global = 1, host = 2, single = 4 };

/// Memory with one address on the host and on every device.
class ManagedMemory {
 public:
  /// Allocates in the current context. Zero bytes is the driver's error. Throws OutOfMemory.
  explicit ManagedMemory(std::size_t size_bytes, AttachFlags flags = AttachFlags::global);

  /// Frees now; the memory must not be in use. Throws InvalidState the second time.
  void free();
  /// True as well where it was moved from.
  bool is_freed() const noexcept { return !handle_; }
  /// Throws InvalidState after free().
  DevicePointer address() const;
  /// The same address, for the host: not while a kernel runs, where the device forbids that.
  std::byte* data() const { return reinterpret_cast<std::byte*>(address()); }
  /// As it was asked for. Stays after free().
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// As many whole T as there is room for. Throws InvalidState after free().
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data()), size_bytes_ / sizeof(T)};
  }
  /// Says who may touch the memory while work runs (cuStreamAttachMemAsync); ordered on `stream`.
  void attach(AttachFlags flags, StreamRef stream = {}) const;
  /// Where it was allocated, detached or not.
  const Context& context() const noexcept { return handle_.context(); }

 private:
  friend struct LaunchArgument<ManagedMemory>;
  Handle<DevicePointer, free_device_memory> handle_;
  std::size_t size_bytes_ = 0;
};

/// The allocation that `address` lies in.
struct AddressRange {
  DevicePointer base;      ///< where it begins
  std::size_t size_bytes;  ///< of the whole allocation
};
/// Throws DeviceError if it lies in none of the current context.
AddressRange address_range(DevicePointer address);

}  // namespace treadle::cuda
