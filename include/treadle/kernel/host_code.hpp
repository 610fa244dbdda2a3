// SPDX-License-Identifier: MIT
// Code of libraries of the host that computes in a device's memory, beside its kernels.
#pragma once

#include <cstdint>

#include "treadle/device/device.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Whether the device's memory is the process's own and its kernels are code of this process, so
/// that libraries of the host can compute in it, in the order of a stream: the CPU device.
bool runs_host_code(const device::Device& device) noexcept;

/// To be queued before such code, which will write `size_bytes` bytes from `result` on without
/// reading them. The checks of kernels do not see what it stores: with TREADLE_CHECK=init the bytes
/// become zeros here, so that who reads them later reads what was written. Otherwise nothing.
/// Throws as Stream::fill().
void announce_host_result(device::Stream& stream, device::Location result,
                          std::uint64_t size_bytes);

}  // namespace treadle::kernel
