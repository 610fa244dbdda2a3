// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "fft/device_plan.hpp"
#include "fft/engine_choice.hpp"
#include "fft/fused_text.hpp"
#include "fft/transform.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::fft {

/// Queues a transform as generated kernels, which are made when a shape is first transformed on the
/// device: VkFFT's, and copies around them where it takes other layouts. Elements are of float64 or
/// float32, or of the complex dtypes of them. Throws as vkfft::make_cuda_plan(), and OutOfMemory.
kernel::KernelNote run_generated(device::Stream& stream, const Transform& transform,
                                 const array::ArrayPlace& input, const array::ArrayPlace& output,
                                 bool is_double);

/// A plan with users' texts in its one kernel.
struct FusedPlan {
  std::shared_ptr<DevicePlan> plan = {};
  kernel::KernelNote note = {};
};
/// None where VkFFT needs several kernels for the shape, or the text is not compiled.
std::optional<FusedPlan> fused_plan(device::Stream& stream, const PlanShape& shape,
                                    const FusedText& text);

/// What runs generated kernels alone, whose plans it keeps itself: to be measured.
RunTransform generated_transform(device::Stream& stream, const PlanShape& plan);

/// Frees the plans that are kept for a device, and their memory.
void forget_plans(device::Device& device);

}  // namespace treadle::fft
