// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "treadle/cuda/launch_log.hpp"

namespace treadle::cuda {

/// `name`, as an object that lives as long as the process: a ring must not keep modules loaded, nor
/// copy names at every launch.
const std::string* lasting_name(const std::string& name);

/// The last launches of one context. Writing costs a few nanoseconds and never waits: a launch that
/// finds its place taken, by a reader or by a thread eight launches behind, is left out.
class LaunchRing {
 public:
  void note(const std::string* kernel, const LaunchConfig& config) noexcept;
  /// The latest first.
  std::vector<LaunchRecord> records() const;

 private:
  static constexpr std::size_t size = 8;
  struct Place {
    mutable std::atomic_flag taken = ATOMIC_FLAG_INIT;
    std::uint64_t number = 0;  ///< of the launch, from 1; 0: none yet
    const std::string* kernel = nullptr;
    LaunchConfig config;
    LaunchSite site;
  };
  std::atomic<std::uint64_t> count_{0};
  std::array<Place, size> places_;
};

/// "last launches, the latest first: "k", grid 1x1x1, block 32x1x1 (user.py:7); ..."; empty if
/// there was none.
std::string launches_text(const LaunchRing& ring);
/// "32x1x1".
std::string dim_text(const Dim3& dim);
/// "grid 1x1x1, block 32x1x1[, 64 bytes of shared memory]".
std::string shape_text(const LaunchConfig& config);

}  // namespace treadle::cuda
