// SPDX-License-Identifier: MIT
// Transforms by cuFFT, where it is found and faster than generated kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fft/device_plan.hpp"
#include "treadle/device/device.hpp"
#include "treadle/library/cufft.hpp"

namespace treadle::fft {

/// cuFFT on a device, looked for by the first transform there.
struct DeviceCufft {
  explicit DeviceCufft(device::Device& device);
  DeviceCufft(std::shared_ptr<const library::Cufft> opened, const cuda::Context& where);
  std::shared_ptr<const library::Cufft> library;  ///< null: there is none
  const cuda::Context* context = nullptr;
  std::string name, text;  ///< for explain()
};

/// Whether cuFFT was faster than generated kernels on an H200 (benchmarks/results/fft-h200.md): all
/// but complex rows of a power of two that a kernel holds in local memory.
bool is_faster_by_cufft(const PlanShape& shape);
/// What one call transforms; none: no call does, or too many would. `calls` is how often it is
/// called, the transforms of one call being one behind the other.
struct CufftCalls {
  library::CufftShape shape;
  std::int64_t calls = 1;
};
std::optional<CufftCalls> cufft_calls(const PlanShape& shape);
/// A plan; null for shapes that cuFFT does not take. It may transform any axes out of place, and
/// leaves complex input as it is.
std::unique_ptr<DevicePlan> make_cufft_plan(const DeviceCufft& cufft, const PlanShape& shape);

}  // namespace treadle::fft
