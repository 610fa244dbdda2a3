// SPDX-License-Identifier: MIT
#include "treadle/codegen/schedule.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace treadle::codegen {
namespace {

TEST(Tiling, IsThatOfItsSchedule) {
  for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
    EXPECT_EQ(tiling_of(schedule).schedule, schedule);
  EXPECT_EQ(tiling_of(Schedule::narrow).group_size, 1u) << "a group is a loop";
}

TEST(Tiling, HasNumbersThatTheSkeletonsRelyOn) {
  const Tiling &wide = tiling_of(Schedule::wide), &narrow = tiling_of(Schedule::narrow);
  EXPECT_TRUE(std::has_single_bit(wide.group_size)) << "rows share a group by halves";
  EXPECT_EQ(wide.group_size % static_cast<unsigned>(wide.tile_side), 0u);
  EXPECT_EQ(narrow.chunk_bytes % narrow.chunk_length, 0u);
}

}  // namespace
}  // namespace treadle::codegen
