// SPDX-License-Identifier: MIT
#include "treadle/base/axis.hpp"

#include <gtest/gtest.h>

#include <climits>

#include "base/message_of.hpp"
#include "treadle/base/error.hpp"

namespace treadle {
namespace {

TEST(Axis, IsCountedFromTheFirst) {
  EXPECT_EQ(checked_axis(0, 3), 0);
  EXPECT_EQ(checked_axis(2, 3), 2);
  EXPECT_EQ(checked_axis(-1, 3), 2);
  EXPECT_EQ(checked_axis(-3, 3), 0);
}

TEST(Axis, ThatIsNotThereIsRefusedInNumPysWords) {
  for (const int axis : {3, -4, INT_MAX, INT_MIN})
    EXPECT_THROW(checked_axis(axis, 3), IndexError) << axis;
  EXPECT_THROW(checked_axis(0, 0), IndexError);
  EXPECT_EQ(message_of([] { checked_axis(5, 2, "source"); }),
            "source: axis 5 is out of bounds for array of dimension 2");
  EXPECT_EQ(message_of([] { checked_axis(-3, 2); }),
            "axis -3 is out of bounds for array of dimension 2");
}

}  // namespace
}  // namespace treadle
