// SPDX-License-Identifier: MIT
#include "treadle/base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace treadle {
namespace {

TEST(Half, EveryHalfComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = half_value(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_value(half_from(value))));
    } else {
      EXPECT_EQ(half_from(value), half);
    }
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  // Between any two neighbours: a little below the middle, the middle, a little above.
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const double low = half_value(static_cast<std::uint16_t>(bits));
    const double middle = (low + half_value(static_cast<std::uint16_t>(bits + 1))) / 2;
    EXPECT_EQ(half_from(std::nextafter(middle, 0)), bits);
    EXPECT_EQ(half_from(middle), bits + bits % 2);
    EXPECT_EQ(half_from(std::nextafter(middle, 1e9)), bits + 1);
  }
}

TEST(Half, LargeAndSmallNumbers) {
  EXPECT_EQ(half_value(half_from(65504)), 65504);
  EXPECT_EQ(half_value(half_from(65519.99)), 65504);
  EXPECT_EQ(half_value(half_from(65520)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(half_value(half_from(-1e300)), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(half_from(1e-300), 0);
  EXPECT_EQ(half_from(-1e-300), 0x8000);
  EXPECT_EQ(half_from(-0.0), 0x8000);
}

}  // namespace
}  // namespace treadle
