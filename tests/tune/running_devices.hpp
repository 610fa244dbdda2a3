// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "device/each_device.hpp"

namespace treadle::tune {

/// Ids of those that run kernels.
inline std::vector<std::string> running_devices() {
  std::vector<std::string> ids = device::device_ids();
  std::erase(ids, "null");
  return ids;
}

}  // namespace treadle::tune
