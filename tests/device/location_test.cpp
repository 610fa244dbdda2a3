// SPDX-License-Identifier: MIT
#include "treadle/device/location.hpp"

#include <gtest/gtest.h>

namespace treadle::device {
namespace {

TEST(Location, OffsetsAddUpAndKeepTheHandle) {
  const Location start{0x1000, 16};
  EXPECT_EQ(start + 8, (Location{0x1000, 24}));
  EXPECT_EQ((start + (std::uint64_t{1} << 40)).offset, (std::uint64_t{1} << 40) + 16);
}

TEST(Location, EmptyOneIsFalse) {
  EXPECT_FALSE(Location{});
  EXPECT_TRUE((Location{1, 0}));
}

}  // namespace
}  // namespace treadle::device
