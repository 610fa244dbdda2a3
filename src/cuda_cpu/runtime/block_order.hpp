// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace treadle::cuda_cpu {

/// The order in which a launch hands out its blocks (block swizzle): in strips of `rows` rows of
/// the grid, column by column within a strip. With one row per strip: x first, then y, then z.
///
///   0 2 4 6      neighbouring blocks read the same rows or columns of a matrix; run one after the
///   1 3 5 7      other, they find them in the cache
///   8 9 ...
class BlockOrder {
 public:
  /// `grid`: no size 0, outlives this; `rows` at least 1. The first block is number 0.
  BlockOrder(const std::array<std::uint32_t, 3>& grid, std::uint32_t rows)
      : grid_(grid), rows_(rows) {}

  /// Writes the coordinates of block `number` to `index`. It divides, which takes as long as a
  /// short block runs: call it once per chunk, then advance().
  void locate(std::uint64_t number, std::uint32_t* index) {
    const std::uint64_t x = grid_[0], y = grid_[1], plane = x * y;
    const std::uint64_t in_plane = number % plane;
    const std::uint64_t strip = in_plane / (x * rows_) * rows_;
    begin_strip(static_cast<std::uint32_t>(strip));
    const std::uint64_t in_strip = in_plane - strip * x, height = strip_end_ - strip_begin_;
    index[0] = static_cast<std::uint32_t>(in_strip / height);
    index[1] = static_cast<std::uint32_t>(strip + in_strip % height);
    index[2] = static_cast<std::uint32_t>(number / plane);
  }

  /// From the block that `index` names, the last one located or advanced to, to the next.
  void advance(std::uint32_t* index) {
    if (++index[1] < strip_end_) return;
    index[1] = strip_begin_;
    if (++index[0] < grid_[0]) return;
    index[0] = 0;
    const bool plane_ends = strip_end_ == grid_[1];
    begin_strip(plane_ends ? 0 : strip_end_);
    index[1] = strip_begin_;
    if (plane_ends) ++index[2];
  }

 private:
  void begin_strip(std::uint32_t first_row) {
    strip_begin_ = first_row;
    strip_end_ = first_row + std::min(rows_, grid_[1] - first_row);
  }

  const std::array<std::uint32_t, 3>& grid_;
  const std::uint32_t rows_;
  std::uint32_t strip_begin_ = 0, strip_end_ = 1;
};

}  // namespace treadle::cuda_cpu
