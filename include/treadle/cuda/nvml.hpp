// SPDX-License-Identifier: MIT
// The same device in NVIDIA's management library, NVML, which nvidia-smi, schedulers and monitors
// speak of it by. The library comes with the driver; it is opened when it is first asked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "treadle/cuda/device.hpp"

namespace treadle::cuda {

/// A device as NVML knows it.
struct NvmlIdentity {
  unsigned index = 0;  ///< as nvidia-smi counts: by PCI bus, whatever CUDA_VISIBLE_DEVICES says
  std::string uuid;    ///< "GPU-8f6ae6f5-...", or "MIG-..." for a part of a device
  std::string bus_id;  ///< "00000000:3B:00.0"
  std::string name;    ///< "NVIDIA H200"
  bool operator==(const NvmlIdentity&) const = default;
};

/// The device with the same UUID, else with the same PCI bus id. None where libnvidia-ml is not
/// found, and for devices that are not NVIDIA's, as the CPU device. Throws DeviceError where NVML
/// does not answer.
std::optional<NvmlIdentity> nvml_identity(const Device& device);

/// A UUID as NVML, nvidia-smi and CUDA_VISIBLE_DEVICES write it: "GPU-8f6ae6f5-...".
std::string uuid_text(const std::array<std::uint8_t, 16>& uuid);

}  // namespace treadle::cuda
