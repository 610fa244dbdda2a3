// SPDX-License-Identifier: MIT
#include "treadle/base/list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace treadle {
namespace {

std::int64_t sum_of(List<std::int64_t> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

TEST(ListTest, IsMadeOfBracesAndOfWhateverLiesSideBySide) {
  const std::vector<std::int64_t> vector{1, 2, 3};
  const std::int64_t plain[] = {4, 5};
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({7}), 7);
  EXPECT_EQ(sum_of({7, 8}), 15);
  EXPECT_EQ(sum_of(vector), 6);
  EXPECT_EQ(sum_of(std::array<std::int64_t, 2>{1, 2}), 3);
  EXPECT_EQ(sum_of(plain), 9);
  EXPECT_EQ(sum_of(std::span(vector).subspan(1)), 5);
  const List<std::int64_t> list = vector;
  EXPECT_EQ(sum_of(list), 6);
  EXPECT_EQ(list.data(), vector.data()) << "nothing is copied";
}

TEST(ListTest, TakesNoOtherElements) {
  static_assert(!std::is_convertible_v<std::vector<int>, List<std::int64_t>>);
  static_assert(!std::is_convertible_v<int, List<int>>);
  static_assert(std::is_convertible_v<std::vector<std::string>&, List<std::string>>);
}

}  // namespace
}  // namespace treadle
