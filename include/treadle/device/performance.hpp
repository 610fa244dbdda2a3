// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/device/info.hpp"

namespace treadle::device {

class Device;

/// info().performance with the bandwidth of device memory measured: the best of several copies
/// within the device of 64 MiB, or a quarter of its largest allocation if that is less, in bytes
/// read and written a second. Blocking; some tens of milliseconds, and twice that memory, with each
/// call. Unknown where kernels do not run. Throws OutOfMemory.
DevicePerformance measure_performance(Device& device);

}  // namespace treadle::device
