// SPDX-License-Identifier: MIT
// Support for host libraries that compute in a device's memory, between its kernels.
#pragma once

#include <cstdint>

#include "treadle/device/device.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Whether the device is the CPU device: its memory is the process's own memory and its kernels are
/// code of this process, so host libraries can compute there in the order of a stream.
bool runs_host_code(const device::Device& device) noexcept;

/// Queue this before host code that will write `size_bytes` bytes from `result` on without reading
/// them. The checks of kernels do not see the stores of host code: with TREADLE_CHECK=init this
/// call sets the bytes to zero, so that later reads of them count as reads of written memory.
/// Without that check it does nothing. Throws as Stream::fill().
void announce_host_result(device::Stream& stream, device::Location result,
                          std::uint64_t size_bytes);

}  // namespace treadle::kernel
