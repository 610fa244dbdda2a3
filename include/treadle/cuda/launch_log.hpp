// SPDX-License-Identifier: MIT
// The last launches of a context: what an error that surfaces later is explained with.
#pragma once

#include <string>
#include <vector>

#include "treadle/cuda/launch.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::cuda {

using treadle::LaunchSite;
using treadle::set_launch_site;

/// One launch, as it is remembered.
struct LaunchRecord {
  std::string kernel;   ///< Function::name()
  LaunchConfig config;  ///< the stream may be gone by now
  LaunchSite site;      ///< file is null if not set
};
/// The latest launches in this context, at most eight, the latest first. Any thread.
std::vector<LaunchRecord> last_launches(const Context& context);

}  // namespace treadle::cuda
