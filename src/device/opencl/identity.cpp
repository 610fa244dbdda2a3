// SPDX-License-Identifier: MIT
#include "device/identity.hpp"

#include "device/opencl/device.hpp"
#include "treadle/base/error.hpp"

namespace treadle::device {

std::string opencl_uuid(const Device& device) {
  const auto* own = dynamic_cast<const OpenclDevice*>(&device);
  if (own == nullptr || !own->shell().has_extension("cl_khr_device_uuid")) return {};
  try {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const auto byte : own->shell().get<opencl::DeviceInfo::uuid_khr>()) {
      const auto value = static_cast<unsigned char>(byte);
      text += {digits[value >> 4], digits[value & 15]};
    }
    return text;
  } catch (const DeviceError&) {
    return {};
  }
}

}  // namespace treadle::device
