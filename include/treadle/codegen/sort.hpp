// SPDX-License-Identifier: MIT
// Kernels that sort lines of 2^k elements in place by a bitonic network.
//
// Stage by stage, runs of 2, 4, 8, ... elements become sorted, every second one downwards, so that
// two neighbours are one run that rises and falls. A stage of runs of L compares elements at the
// distances L/2, L/4, ..., 1, and exchanges those in the wrong order:
//
//   L = 2          L = 4                       L = 8
//   3 7 | 8 5      distance 2    distance 1    distance 4, 2, 1
//   up    down     3 5 | 8 7     3 5 | 7 8     ...
//
// Line after line, elements have numbers; a tile is 2^m of them that lie side by side, and holds
// all that a pass at a distance below 2^m exchanges. So there are two kernels: one takes a tile
// through as many stages and passes as fit into it, the other does one pass at a longer distance.
// A sort of lines of n is the first one for L up to the tile; then for each longer L passes at the
// distances from L/2 down to the tile, and the first kernel for the rest.
//
// Wide: a tile is in local memory, and a work-item exchanges two elements. Narrow: a group is one
// work-item, which loops over a tile in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// Which of the two kernels.
enum class SortStep : std::uint8_t {
  tile,  ///< stages from `first` to `last`, at distances within a tile
  pass,  ///< of stage `first`, at one longer distance
};

/// What decides about the text.
struct SortForm {
  SortStep step;                  ///< which kernel
  Scalar dtype;                   ///< of what is sorted: any but complex numbers and records
  std::optional<Scalar> carried;  ///< of elements that go where those go
  bool is_dense;                  ///< elements of a line lie side by side: `inner` is 1
  bool operator==(const SortForm&) const = default;
};

/// A generated kernel. It takes
///
///   x                       a pointer; where the language has no addresses to the start of
///   x_offset                an allocation, and this int64, in elements
///   y, y_offset             the same for what is carried
///   total, length, inner    int64: elements, those of a line, and how far apart they lie
///   first, last             int64: tile: the stages; pass: the stage and its distance
struct SortText {
  std::string name;            ///< "sort_tile_float32_int32"
  std::string text;            ///< a whole program with that one kernel
  unsigned group_size;         ///< work-items to launch it with
  std::uint64_t tile_length;   ///< elements of a tile; a group takes one, or half as many pairs
  tree::NodePtr program = {};  ///< what `text` was printed of
};

/// How many elements a tile has.
std::uint64_t sort_tile_length(const Tiling& tiling) noexcept;

/// Writes the kernel. NaN comes behind all numbers. Throws DTypeError for dtypes without an order.
SortText generate_sort(const SortForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen
