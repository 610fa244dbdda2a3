// SPDX-License-Identifier: MIT
// Numbers that follow from a Tiling; lowering and text of a reduction must use the same ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// The work-items of a group; fewer if the folded values are large.
inline unsigned reduction_group_size(const Tiling& tiling, std::size_t partial_bytes) {
  const bool is_wide = tiling.schedule == Schedule::wide;
  return is_wide ? static_cast<unsigned>(std::bit_floor(std::clamp<std::uint64_t>(
                       tiling.fold_bytes / partial_bytes, 1, tiling.group_size)))
                 : 1;
}
/// Narrow: the accumulators of one fold.
inline unsigned lanes_of(const Tiling& tiling, std::size_t accumulator_bytes) {
  return static_cast<unsigned>(std::max<std::uint64_t>(1, tiling.lane_bytes / accumulator_bytes));
}
/// The results of a strip.
inline std::uint64_t strip_length(const Tiling& tiling, std::size_t partial_bytes) {
  return std::max<std::uint64_t>(
      tiling.vector_lanes,
      tiling.strip_bytes / partial_bytes / tiling.vector_lanes * tiling.vector_lanes);
}

}  // namespace treadle::codegen
