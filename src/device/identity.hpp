// SPDX-License-Identifier: MIT
// Which device of a make it is, by the two shells; empty for a device of another run-time.
#pragma once

#include <string>

namespace treadle::device {

class Device;

/// "GPU-8f6ae6f5-..."; the CPU device has one for each make of processor.
std::string cuda_uuid(const Device& device);
/// Where the platform has cl_khr_device_uuid.
std::string opencl_uuid(const Device& device);

}  // namespace treadle::device
