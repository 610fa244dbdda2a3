// SPDX-License-Identifier: MIT
#pragma once

namespace treadle {

/// While one lives, what the calling thread warns of is nobody's concern: objects end in a context
/// that was made to be lost.
class QuietWarnings {
 public:
  QuietWarnings() noexcept;
  ~QuietWarnings();
  QuietWarnings(const QuietWarnings&) = delete;
  QuietWarnings& operator=(const QuietWarnings&) = delete;
};

}  // namespace treadle
