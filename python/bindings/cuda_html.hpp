// SPDX-License-Identifier: MIT
// Shows CUDA devices and kernels in notebooks, for both faces.
#pragma once

#include <string>

#include "treadle/cuda/device.hpp"
#include "treadle/cuda/function.hpp"

namespace treadle::bindings {

/// Describes the device. Throws DeviceError if the driver fails.
std::string html_of(const cuda::Device& device);
/// Lists the parameters, and the resources of threads and blocks.
std::string html_of(const cuda::Function& function);
/// "float* a, int n"; empty if neither driver nor compiler tells the parameters.
std::string parameters_text(const cuda::ParameterLayout& layout);

}  // namespace treadle::bindings
