// SPDX-License-Identifier: MIT
#include "treadle/base/near_match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treadle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NearMatch, BlanksCountOnlyBetweenWords) {
  EXPECT_EQ(squeeze(" k< float, 4 >"), "k<float,4>");
  EXPECT_EQ(squeeze("k<unsigned  int>"), "k<unsigned int>");
}

TEST(NearMatch, SlipOfTheFingersIsNear) {
  const std::vector<std::string> names = {"twice", "thrice", "scale<float, 4>"};
  EXPECT_THAT(near_matches("twise", names), ElementsAre("twice"));
  EXPECT_THAT(near_matches("Twice", names), testing::Contains("twice"));
  EXPECT_THAT(near_matches("scale<double, 8>", names), ElementsAre("scale<float, 4>"));
}

TEST(NearMatch, NothingIsNearANameOfAnotherKind) {
  EXPECT_THAT(near_matches("xyz", {"twice", "thrice"}), IsEmpty());
  EXPECT_THAT(near_matches("twice", {}), IsEmpty());
}

TEST(NearMatch, AtMostThreeTheNearestFirst) {
  const auto found = near_matches("name1", {"nnme99", "name2", "name1x", "name3", "name4"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.front(), "name1x");
}

}  // namespace
}  // namespace treadle
