// SPDX-License-Identifier: MIT
// The last launches of a context: what an error that surfaces later is explained with.
#pragma once

#include <string>
#include <vector>

#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

/// A line of a user's program. `file` must stay valid until the process ends.
struct LaunchSite {
  const char* file = nullptr;  ///< null: nobody said
  int line = 0;                ///< from 1
};

/// Where the next launches of the calling thread come from, until it is set again. Bindings of
/// other languages call it before each launch; a few nanoseconds.
void set_launch_site(LaunchSite site) noexcept;

/// One launch, as it is remembered.
struct LaunchRecord {
  std::string kernel;   ///< Function::name()
  LaunchConfig config;  ///< the stream may be gone by now
  LaunchSite site;      ///< file is null if nobody said
};
/// The latest launches in this context, at most eight, the latest first. Any thread.
std::vector<LaunchRecord> last_launches(const Context& context);

}  // namespace treadle::cuda
