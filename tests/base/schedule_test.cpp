// SPDX-License-Identifier: MIT
#include "treadle/base/schedule.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Schedule, HasAName) {
  EXPECT_EQ(schedule_name(Schedule::wide), "wide");
  EXPECT_EQ(schedule_name(Schedule::narrow), "narrow");
}

}  // namespace
}  // namespace treadle
