// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "fft/device_plan.hpp"
#include "fft/fused_text.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::fft::vkfft {

/// Generates and compiles; long. With fused texts the transform is one kernel, whose text `program`
/// receives. Throws NotSupported for what VkFFT refuses, and for fused texts where it takes other
/// kernels; CompileError, and OutOfMemory. The plan must end before the device.
std::unique_ptr<DevicePlan> make_cuda_plan(device::Stream& stream, const PlanShape& shape,
                                           const FusedText* fused = nullptr,
                                           std::string* program = nullptr);
std::unique_ptr<DevicePlan> make_opencl_plan(device::Stream& stream, const PlanShape& shape,
                                             const FusedText* fused = nullptr,
                                             std::string* program = nullptr);

}  // namespace treadle::fft::vkfft
