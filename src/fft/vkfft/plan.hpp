// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "fft/plan.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::fft::vkfft {

/// Generates and compiles; long. Throws NotSupported for what VkFFT refuses, CompileError, and
/// OutOfMemory. The plan must end before the device.
std::unique_ptr<Plan> make_cuda_plan(device::Stream& stream, const PlanShape& shape);
std::unique_ptr<Plan> make_opencl_plan(device::Stream& stream, const PlanShape& shape);

}  // namespace treadle::fft::vkfft
