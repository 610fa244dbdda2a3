// SPDX-License-Identifier: MIT
#include "treadle/process/large_stack.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace treadle {
namespace {

/// Takes more than 100 bytes of stack for each level.
unsigned depth_of(unsigned levels) {
  volatile char taken[100] = {};
  if (levels == 0) return taken[0];
  return depth_of(levels - 1) + 1 + static_cast<unsigned>(taken[99]);
}

TEST(LargeStack, HasRoomForWhatRecursesDeeply) {
  unsigned depth = 0;
  run_on_large_stack([&] { depth = depth_of(400'000); });
  EXPECT_EQ(depth, 400'000u);
}

TEST(LargeStack, PassesOnWhatIsThrown) {
  EXPECT_THROW(run_on_large_stack([] { throw std::out_of_range("x"); }), std::out_of_range);
}

}  // namespace
}  // namespace treadle
