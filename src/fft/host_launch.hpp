// SPDX-License-Identifier: MIT
#pragma once

#include "fft/host_task.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::fft {

/// Queues a task on a stream of a device of kernel::runs_host_code(), whose threads run it. Where
/// memory runs out the stream fails, as by a kernel that traps.
kernel::KernelNote launch_on_host(device::Stream& stream, HostTask task);

}  // namespace treadle::fft
