// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "treadle/base/layout.hpp"

namespace treadle::array {

/// Whether each axis of a shape has the target's extent, or 1; missing ones lead.
inline bool broadcasts_to(Extents value, Extents target) {
  if (value.size() > target.size()) return false;
  return std::ranges::equal(
      value, target.last(value.size()),
      [](std::int64_t extent, std::int64_t wanted) { return extent == wanted || extent == 1; });
}

}  // namespace treadle::array
