// SPDX-License-Identifier: MIT
#pragma once

#include "fft/host_task.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::fft {

/// Whether code of this process runs as a part of the device's kernels, on its memory: the CPU
/// device.
bool runs_host_code(const device::Device& device) noexcept;

/// Queues a task on a stream of such a device, whose threads run it. Where memory runs out the
/// stream fails, as by a kernel that traps.
kernel::KernelNote launch_on_host(device::Stream& stream, HostTask task);

}  // namespace treadle::fft
