// SPDX-License-Identifier: MIT
// Which line of a user's program launches a kernel: what errors that surface later are explained
// with.
#pragma once

namespace treadle {

/// A line of a user's program. `file` must stay valid until the process ends.
struct LaunchSite {
  const char* file = nullptr;  ///< null: not set
  int line = 0;                ///< from 1
};

/// Where the next launches of the calling thread come from, on whatever device, until it is set
/// again. Bindings of other languages call it before each launch; a few nanoseconds.
void set_launch_site(LaunchSite site) noexcept;

/// What the calling thread set last.
LaunchSite launch_site() noexcept;

}  // namespace treadle
