// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// How much older an architecture of NVIDIA's is than the one here: 10 for "sm_90" on "sm_100", 0
/// for the same. Equal texts of other makes are 0 apart. None: it is newer, or of another make.
std::optional<unsigned> architecture_age(std::string_view known, std::string_view here);

}  // namespace treadle::device
