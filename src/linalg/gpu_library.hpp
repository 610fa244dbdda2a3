// SPDX-License-Identifier: MIT
// Libraries of NVIDIA's on a device.
#pragma once

#include <memory>

#include "treadle/device/cuda.hpp"
#include "treadle/device/device.hpp"

namespace treadle::linalg {

/// A handle in the device's context; null where there is no library or no GPU of NVIDIA's.
template <class Handle>
std::unique_ptr<Handle> on_gpu_of_nvidia(device::Device& device) {
  if (device.info().kind != device::DeviceKind::gpu) return nullptr;
  const cuda::Context* const context = device::cuda_context(device);
  return context != nullptr ? Handle::open(*context) : nullptr;
}

}  // namespace treadle::linalg
