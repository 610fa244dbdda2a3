// SPDX-License-Identifier: MIT
// The numbers of reductions that are not the schedule's: lowering and text have to agree in them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// Most work-items on one of the results that lie side by side.
inline constexpr unsigned column_depth = 4;
/// Fewer results than this are no columns.
inline constexpr std::int64_t fewest_columns = 16;
/// Elements that a work-item of a column has at least, and that it reads at a time.
inline constexpr unsigned column_elements = 8;
/// Work-items on a row of at most this many elements; the whole group on longer ones.
struct RowDepth {
  unsigned work_items;
  std::uint64_t most_elements;
};
inline constexpr RowDepth row_depths[] = {{1, 16}, {8, 128}, {32, 4096}};
/// Groups that share results on a compute unit at the same time: more than it holds would leave
/// some to come after all others.
inline constexpr unsigned groups_per_unit = 8;
/// The same where they need more registers: of columns, and where a position is folded.
inline constexpr unsigned columns_per_unit = 4;
inline constexpr unsigned places_per_unit = 6;
/// The same where a map of this cost or more takes registers, nobody knows how many: if a unit
/// holds seven groups, the last of eight make the launch take twice as long, the last of so many
/// hardly longer.
inline constexpr unsigned costly_map = 8;
inline constexpr unsigned small_groups_per_unit = 24;
/// Elements of a run, whose sum rounds each of them. So few are nearly exact even of equal
/// elements, whose errors do not cancel: of 16 times 0.1f they are 1.4e-7, of 4 times 1.5e-8.
inline constexpr unsigned run_elements = 4;
/// The same of users' texts, of which nothing is left over.
inline constexpr unsigned run_elements_of_texts = 16;
/// The same of rows on narrow, which NumPy adds one behind the other, however many they are.
inline constexpr unsigned run_rows = 16;
/// Narrow: elements of a block, which short rows of floats are summed in as NumPy does: by eight
/// accumulators, then by a tree.
inline constexpr unsigned block_elements = 128;
/// Longer rows take accumulators side by side, and longer to fold them.
inline constexpr unsigned longest_in_blocks = 2048;
/// Narrow: bytes of accumulators that are one vector loop. Fewer are unrolled, and stay single
/// numbers.
inline constexpr std::size_t lane_bytes = 512;
/// The same of rows that are so short that folding the accumulators would take longer.
inline constexpr unsigned short_row_lanes = 8;
/// Elements that processors compute at a time, or twice as many.
inline constexpr unsigned vector_lanes = 16;
/// Rows are short up to this many times the accumulators of others.
inline constexpr unsigned most_short_turns = 4;
/// Narrow: bytes of results that stay in the first cache.
inline constexpr std::size_t strip_bytes = 4096;

/// Wide: bytes of local memory for what a group folds.
inline constexpr std::size_t fold_bytes = 16 << 10;
/// Wide: bytes of the accumulators of a work-item.
inline constexpr std::size_t part_bytes = 512;

/// Work-items of a group: fewer where what is folded is large.
inline unsigned reduction_group_size(const Tiling& tiling, std::size_t partial_bytes) {
  return static_cast<unsigned>(
      std::bit_floor(std::clamp<std::size_t>(fold_bytes / partial_bytes, 1, tiling.group_size)));
}
/// Accumulators of one fold on narrow.
inline unsigned lanes_of(std::size_t accumulator_bytes) {
  return static_cast<unsigned>(std::max<std::size_t>(1, lane_bytes / accumulator_bytes));
}
/// Results of a strip.
inline std::uint64_t strip_length(std::size_t partial_bytes) {
  return std::max<std::uint64_t>(16, strip_bytes / partial_bytes / 16 * 16);
}

}  // namespace treadle::codegen
