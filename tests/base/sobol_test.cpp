// SPDX-License-Identifier: MIT
#include "treadle/base/sobol.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace treadle {
namespace {

/// FNV-1a, a word at a time.
template <class Word>
std::uint64_t digest(const std::vector<Word>& words) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Word word : words) hash = (hash ^ word) * 0x100000001b3;
  return hash;
}

TEST(SobolVectors, AreThoseOfCuRand) {
  // Of all 20000 dimensions of libcurand's tables (tools/sobol_numbers.py --check).
  const auto narrow = sobol_vectors<std::uint32_t>(sobol_dimensions);
  EXPECT_EQ(digest(narrow), 0x95ba84c4c0a2899du);
  EXPECT_EQ(digest(sobol_vectors<std::uint64_t>(sobol_dimensions)), 0x3f6bae8b37c7b865u);
  EXPECT_EQ(
      std::vector<std::uint32_t>(narrow.begin() + 64, narrow.begin() + 69),
      (std::vector<std::uint32_t>{0x80000000, 0xc0000000, 0x60000000, 0x90000000, 0xe8000000}));
}

TEST(SobolVectors, BeginAgainBehindTheLastDimension) {
  const auto more = sobol_vectors<std::uint32_t>(sobol_dimensions + 2);
  EXPECT_TRUE(std::equal(more.begin(), more.begin() + 64, more.end() - 64));
  EXPECT_TRUE(sobol_vectors<std::uint64_t>(0).empty());
}

template <class Word>
std::vector<Word> points(const std::vector<Word>& vectors, std::size_t dimension, Word shift,
                         unsigned count) {
  std::vector<Word> made;
  for (unsigned i = 0; i < count; ++i) {
    Word word = shift;
    const unsigned gray = i ^ i >> 1;
    for (unsigned bit = 0; gray >> bit != 0; ++bit)
      if ((gray >> bit & 1) != 0) word ^= vectors[dimension * 8 * sizeof(Word) + bit];
    made.push_back(word);
  }
  return made;
}

/// 1024 points of each coordinate have every value of the upper ten bits once.
template <class Word>
void expect_even(const std::vector<Word>& vectors, const std::vector<Word>& shifts) {
  for (std::size_t d = 0; d < shifts.size(); ++d) {
    std::set<Word> upper;
    for (const Word word : points(vectors, d, shifts[d], 1024))
      upper.insert(word >> (8 * sizeof(Word) - 10));
    ASSERT_EQ(upper.size(), 1024u) << d;
  }
}

TEST(SobolVectors, FillEachCoordinateEvenlyScrambledToo) {
  constexpr std::size_t count = 300;
  expect_even(sobol_vectors<std::uint32_t>(count), std::vector<std::uint32_t>(count));
  expect_even(scrambled_sobol_vectors<std::uint32_t>(count, 7),
              sobol_shifts<std::uint32_t>(count, 7));
  expect_even(scrambled_sobol_vectors<std::uint64_t>(count, 7),
              sobol_shifts<std::uint64_t>(count, 7));
}

TEST(SobolVectors, AreScrambledAnewByEachSeedAndDimension) {
  EXPECT_NE(scrambled_sobol_vectors<std::uint32_t>(3, 1),
            scrambled_sobol_vectors<std::uint32_t>(3, 2));
  const auto once = scrambled_sobol_vectors<std::uint32_t>(3, 1);
  EXPECT_EQ(once, scrambled_sobol_vectors<std::uint32_t>(3, 1));
  EXPECT_NE(once, sobol_vectors<std::uint32_t>(3));
  const auto shifts = sobol_shifts<std::uint64_t>(1000, 1);
  EXPECT_EQ(std::set<std::uint64_t>(shifts.begin(), shifts.end()).size(), 1000u);
}

}  // namespace
}  // namespace treadle
