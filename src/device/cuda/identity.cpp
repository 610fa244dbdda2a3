// SPDX-License-Identifier: MIT
#include "device/identity.hpp"

#include "device/cuda/device.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/nvml.hpp"

namespace treadle::device {

std::string cuda_uuid(const Device& device) {
  const auto* own = dynamic_cast<const CudaDevice*>(&device);
  if (own == nullptr) return {};
  try {
    return cuda::uuid_text(own->shell().uuid());
  } catch (const DeviceError&) {
    return {};
  }
}

}  // namespace treadle::device
