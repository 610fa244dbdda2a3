// SPDX-License-Identifier: MIT
#include "treadle/memory/bins.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace treadle::memory {
namespace {

constexpr BinRule faces{.leading_bits = 4, .block_size = BlockSize::all_ones};
constexpr BinRule native{};

// A compile-time rule, so that a table of sizes could be one.
static_assert(faces.bin_number(100) == 105 && faces.alloc_size(105) == 103);

struct Row {
  std::size_t size;
  unsigned bin;
  std::size_t block;
};

TEST(BinRule, GivesTheNumbersProgramsCompare) {
  const Row rows[] = {{0, 0, 1},
                      {1, 0, 1},
                      {2, 16, 2},
                      {3, 24, 3},
                      {7, 44, 7},
                      {8, 48, 8},
                      {9, 50, 9},
                      {16, 64, 16},
                      {17, 65, 17},
                      {32, 80, 33},
                      {33, 80, 33},
                      {64, 96, 67},
                      {100, 105, 103},
                      {128, 112, 135},
                      {1000, 159, 1023},
                      {1024, 160, 1087},
                      {1u << 20, 320, 1114111},
                      {(1u << 31) - 1, 495, (1u << 31) - 1}};
  for (const auto& [size, bin, block] : rows) {
    EXPECT_EQ(faces.bin_number(size), bin) << size;
    EXPECT_EQ(faces.alloc_size(bin), block) << size;
  }
}

TEST(BinRule, OfTheNativePoolWastesNothingOnRoundSizes) {
  for (unsigned bits = 4; bits < 64; ++bits) {
    const std::size_t size = std::size_t{1} << bits;
    EXPECT_EQ(native.alloc_size(native.bin_number(size)), size);
    EXPECT_EQ(native.alloc_size(native.bin_number(size + size / 2)), size + size / 2);
  }
  EXPECT_EQ(native.alloc_size(native.bin_number((1u << 20) + 1)), (1u << 20) + (1u << 16));
  EXPECT_EQ(native.alloc_size(native.bin_number(0)), 2u);
}

/// Sizes around every boundary there is, and random ones of every magnitude.
std::vector<std::size_t> interesting_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 3000; ++size) sizes.push_back(size);
  std::mt19937_64 random(4711);
  for (unsigned bits = 10; bits < 64; ++bits) {
    const std::size_t power = std::size_t{1} << bits;
    for (std::size_t near = 0; near < 6; ++near) {
      sizes.push_back(power + near);
      sizes.push_back(power - near);
    }
    for (int i = 0; i < 200; ++i) sizes.push_back(power | (random() & (power - 1)));
  }
  sizes.push_back(~std::size_t{0});
  return sizes;
}

class EachRule : public testing::TestWithParam<BinRule> {};

TEST_P(EachRule, ABlockHoldsEveryRequestOfItsBinAndBelongsThere) {
  const BinRule& rule = GetParam();
  for (const std::size_t size : interesting_sizes()) {
    const unsigned bin = rule.bin_number(size);
    const std::size_t block = rule.alloc_size(bin);
    ASSERT_GE(block, size);
    ASSERT_EQ(rule.bin_number(block), bin) << size;
    if (size == 0) continue;
    ASSERT_LE(block - size, (size >> rule.leading_bits) + 1) << size;
  }
}

TEST_P(EachRule, LargerRequestsNeverGetSmallerBins) {
  const BinRule& rule = GetParam();
  std::vector<std::size_t> sizes = interesting_sizes();
  std::sort(sizes.begin(), sizes.end());
  for (std::size_t i = 1; i < sizes.size(); ++i)
    ASSERT_LE(rule.bin_number(sizes[i - 1]), rule.bin_number(sizes[i])) << sizes[i];
}

TEST_P(EachRule, BinsAboveTheLastHoldTheLargestSizeThereIs) {
  const BinRule& rule = GetParam();
  EXPECT_EQ(rule.alloc_size(64u << rule.leading_bits), ~std::size_t{0});
  EXPECT_EQ(rule.alloc_size(~0u), ~std::size_t{0});
}

std::vector<BinRule> every_rule() {
  std::vector<BinRule> rules;
  for (unsigned bits = 0; bits <= BinRule::max_leading_bits; ++bits)
    for (const BlockSize size : {BlockSize::all_ones, BlockSize::multiple})
      rules.push_back({bits, size});
  return rules;
}

INSTANTIATE_TEST_SUITE_P(Rules, EachRule, testing::ValuesIn(every_rule()), [](const auto& tested) {
  const bool ones = tested.param.block_size == BlockSize::all_ones;
  return std::to_string(tested.param.leading_bits) + (ones ? "_all_ones" : "_multiple");
});

}  // namespace
}  // namespace treadle::memory
