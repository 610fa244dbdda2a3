// SPDX-License-Identifier: MIT
// How kernels cut an index space into groups of work-items. A generator writes two skeletons, one
// for each schedule, and takes every number in them from here.
#pragma once

#include <cstdint>

#include "treadle/base/schedule.hpp"

namespace treadle::codegen {

/// The numbers of one schedule. Data only.
struct Tiling {
  Schedule schedule;           ///< which skeleton they are for
  unsigned group_size;         ///< work-items of a group; 1: the group is a loop
  unsigned access_bytes;       ///< wide: of one access of a work-item to the smallest dtype
  unsigned operand_bytes;      ///< wide: the most that a work-item takes of one operand at a time
  unsigned register_words;     ///< wide: the most of 32 bits that a work-item takes at a time
  unsigned strided_items;      ///< wide: elements of a work-item where each index is decoded
  std::int64_t rows_extent;    ///< wide: rows of at least so many elements are cut into pieces
  std::int64_t tile_side;      ///< of the squares by which transposed operands are read
  std::uint64_t local_bytes;   ///< wide: of local memory for those squares; every device has it
  std::uint64_t chunk_bytes;   ///< narrow: of the largest dtype that a group works through
  std::uint64_t chunk_length;  ///< narrow: a chunk is a multiple of so many elements
};

/// The numbers of a schedule.
const Tiling& tiling_of(Schedule schedule) noexcept;

}  // namespace treadle::codegen
