// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/cuda/device.hpp"
#include "treadle/device/info.hpp"

namespace treadle::device {

/// What the driver tells of a device.
DeviceInfo cuda_device_info(const cuda::Device& device);

}  // namespace treadle::device
