// SPDX-License-Identifier: MIT
// How notebooks show devices and kernels of CUDA, in either face.
#pragma once

#include <string>

#include "treadle/cuda/device.hpp"
#include "treadle/cuda/function.hpp"

namespace treadle::bindings {

/// What it is and has. Throws DeviceError if the driver does.
std::string html_of(const cuda::Device& device);
/// Its parameters, and what its threads and blocks need.
std::string html_of(const cuda::Function& function);
/// "float* a, int n"; empty where neither driver nor compiler tells.
std::string parameters_text(const cuda::ParameterLayout& layout);

}  // namespace treadle::bindings
