// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace treadle::tune {

/// The time of what failed.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Of one sample at least.
inline double median_of(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

}  // namespace treadle::tune
