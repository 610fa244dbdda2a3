// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace treadle::device {

class Device;

/// Which device of which make: what was measured on one need not hold for another.
struct DeviceIdentity {
  std::string name;          ///< the vendor's: "NVIDIA H200"
  std::string architecture;  ///< "sm_90", "cpu"; on OpenCL the device's version and vendor
  std::string uuid;          ///< of this very device, where the run-time tells; else empty
  std::string driver;        ///< its version
};

/// Asks the run-time; makes no context.
DeviceIdentity identity_of(const Device& device);

}  // namespace treadle::device
