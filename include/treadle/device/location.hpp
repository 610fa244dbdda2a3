// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace treadle::device {

/// A place in the memory of one device: an opaque handle plus a byte offset. On CUDA the handle is
/// the allocation's address; on OpenCL it stands for a buffer object, which has no address. Only
/// the device it came from can read it. All zero: no memory, which is what zero bytes give.
struct Location {
  std::uint64_t handle = 0;  ///< 0: no memory
  std::uint64_t offset = 0;  ///< bytes from the start of what the handle means

  /// The place `bytes` further on in the same allocation.
  constexpr Location operator+(std::uint64_t bytes) const noexcept {
    return {handle, offset + bytes};
  }
  /// Whether there is memory; whether it is live is Device::require_memory()'s to say.
  constexpr explicit operator bool() const noexcept { return handle != 0; }
  constexpr bool operator==(const Location&) const = default;
};

}  // namespace treadle::device
