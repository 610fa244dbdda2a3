// SPDX-License-Identifier: MIT
// The last launches on a device: what an error that surfaces later is explained with.
#pragma once

#include <string>
#include <vector>

#include "treadle/device/kernel.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::device {

/// One launch, as it is remembered.
struct LaunchRecord {
  std::string kernel;      ///< Kernel::name()
  LaunchShape shape = {};  ///< as it was asked for
  LaunchSite site = {};    ///< file is null if not set (set_launch_site)
};

/// The latest launches by streams of this device, at most eight, the latest first; refused launches
/// are omitted. On CUDA those of the shell in the same context are among them. Any thread.
std::vector<LaunchRecord> last_launches(const Device& device);

}  // namespace treadle::device
