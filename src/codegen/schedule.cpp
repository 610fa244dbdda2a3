// SPDX-License-Identifier: MIT
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {
namespace {

constexpr Tiling wide{.schedule = Schedule::wide,
                      .group_size = 256,
                      .access_bytes = 16,
                      .operand_bytes = 64,
                      .register_words = 32,
                      .strided_items = 4,
                      .rows_extent = 128,
                      .tile_side = 32,
                      .local_bytes = std::uint64_t{32} << 10,
                      .chunk_bytes = 0,
                      .chunk_length = 1};
constexpr Tiling narrow{.schedule = Schedule::narrow,
                        .group_size = 1,
                        .access_bytes = 0,
                        .operand_bytes = 0,
                        .register_words = 0,
                        .strided_items = 0,
                        .rows_extent = 1,
                        .tile_side = 32,
                        .local_bytes = 0,
                        .chunk_bytes = std::uint64_t{256} << 10,
                        .chunk_length = 64};

}  // namespace

const Tiling& tiling_of(Schedule schedule) noexcept {
  return schedule == Schedule::wide ? wide : narrow;
}

}  // namespace treadle::codegen
