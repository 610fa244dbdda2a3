// SPDX-License-Identifier: MIT
// Kernels that sort lines of 2^k elements in place by a bitonic network.
//
// In each stage, runs of 2, 4, 8, ... elements become sorted, every second run downwards, so that
// two adjacent runs together rise and fall. A stage with runs of L compares elements at the
// distances L/2, L/4, ..., 1, and exchanges those in the wrong order:
//
//   L = 2          L = 4                       L = 8
//   3 7 | 8 5      distance 2    distance 1    distance 4, 2, 1
//   up    down     3 5 | 8 7     3 5 | 7 8     ...
//
// The elements of all lines are numbered, line after line. A tile is 2^m elements with adjacent
// numbers; a pass with a distance below 2^m exchanges elements only within tiles. So there are two
// kernels. One takes a tile through all stages and passes that fit into it; the other makes one
// pass with a longer distance. A sort of lines of length n runs the first kernel for L up to the
// tile length. Then, for each longer L, it runs the second kernel for the distances from L/2 down
// to the tile length, and the first kernel for the other distances.
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

/// The two kernels.
enum class SortStep : std::uint8_t {
  tile,  ///< the stages from `first` to `last`, at distances within a tile
  pass,  ///< one pass of stage `first`, at one longer distance
};

/// The choices that decide the kernel's text.
struct SortForm {
  SortStep step;  ///< which kernel
  Scalar dtype;   ///< dtype of the sorted elements: any but complex numbers and records
  std::optional<Scalar> carried;  ///< dtype of elements that are moved along with the sorted ones
  bool is_dense;                  ///< the elements of a line are contiguous: `inner` is 1
  bool operator==(const SortForm&) const = default;
};

/// A generated kernel. Its arguments are
///
///   x                       a pointer; if the language has no addresses, the start of an
///   x_offset                allocation, and its offset in elements (int64)
///   y, y_offset             the same for the carried elements
///   total, length, inner    int64: number of elements, length of a line, distance in a line
///   first, last             int64: tile: the stages; pass: the stage and its distance
struct SortText {
  std::string name;     ///< "sort_tile_float32_int32"
  std::string text;     ///< a complete program with this one kernel
  unsigned group_size;  ///< work-items of a group
  /// Elements of a tile; each group takes a tile, or half as many pairs.
  std::uint64_t tile_length;
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// The number of elements of a tile.
std::uint64_t sort_tile_length(const Tiling& tiling) noexcept;

/// Writes the kernel. NaN is sorted after all numbers. Throws DTypeError for dtypes without an
/// order.
SortText generate_sort(const SortForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen
