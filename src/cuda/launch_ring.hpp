// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "process/launch_ring.hpp"
#include "treadle/cuda/launch_log.hpp"

namespace treadle::cuda {

using treadle::lasting_name;

/// The last launches of one context.
class LaunchRing : public treadle::LaunchRing<LaunchConfig> {
 public:
  /// The latest first.
  std::vector<LaunchRecord> records() const;
};

/// "last launches, the latest first: "k", grid 1x1x1, block 32x1x1 (user.py:7); ..."; empty if
/// there was none.
std::string launches_text(const LaunchRing& ring);
/// "32x1x1".
std::string dim_text(const Dim3& dim);
/// "grid 1x1x1, block 32x1x1[, 64 bytes of shared memory]".
std::string shape_text(const LaunchConfig& config);

}  // namespace treadle::cuda
