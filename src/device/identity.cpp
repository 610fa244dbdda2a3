// SPDX-License-Identifier: MIT
#include "treadle/device/identity.hpp"

#include <map>

#include "device/identity.hpp"
#include "treadle/device/device.hpp"

namespace treadle::device {

DeviceIdentity identity_of(const Device& device) {
  const DeviceInfo& info = device.info();
  std::map<std::string, std::string> build(info.build_identity.begin(), info.build_identity.end());
  DeviceIdentity made{.name = info.name,
                      .architecture = info.target,
                      .uuid = cuda_uuid(device),
                      .driver = build["driver version"]};
  if (made.uuid.empty()) made.uuid = opencl_uuid(device);
  if (made.architecture.empty()) {
    made.architecture = build["device version"];
    if (const std::string& vendor = build["device vendor"]; !vendor.empty())
      made.architecture += " " + vendor;
  }
  if (made.architecture.empty()) made.architecture = info.runtime;
  if (made.driver.empty()) made.driver = info.runtime;
  return made;
}

}  // namespace treadle::device
