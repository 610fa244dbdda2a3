// SPDX-License-Identifier: MIT
#include "treadle/base/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace treadle {
namespace {

// The known answers that are published with Random123: counters and keys of zeros, of ones, and of
// the digits of pi.
constexpr RandomWords zeros{}, ones{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
    pi{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};

TEST(Random, PhiloxGivesKnownAnswers) {
  EXPECT_EQ(philox4x32(zeros, {}), (RandomWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32(ones, {0xffffffff, 0xffffffff}),
            (RandomWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32(pi, {0xa4093822, 0x299f31d0}),
            (RandomWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, ThreefryGivesKnownAnswers) {
  EXPECT_EQ(threefry4x32(zeros, zeros),
            (RandomWords{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}));
  EXPECT_EQ(threefry4x32(ones, ones),
            (RandomWords{0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}));
  EXPECT_EQ(threefry4x32(pi, {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}),
            (RandomWords{0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}));
}

TEST(Random, StatesNameTheirCounterAndKey) {
  const RandomState state{0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88};
  EXPECT_EQ(state.words(), philox4x32(pi, {0xa4093822, 0x299f31d0}));
  const RandomState threefry{0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88,
                             RandomGenerator::threefry};
  EXPECT_EQ(threefry.words(), threefry4x32(pi, {0xa4093822, 0x299f31d0, 0, 0}));
  RandomState later = state;
  later.advance(0xffffffff);
  EXPECT_EQ(later.words(), state.words(0xffffffff));
  EXPECT_EQ(RandomState{.position = ~std::uint64_t{0}}.words(1), RandomState{}.words());
}

TEST(Random, JumpsLeadToTheStartOfOtherStreams) {
  RandomState state{.seed = 5, .position = 17};
  EXPECT_EQ(state.jumped(), (RandomState{.seed = 5, .stream = 1}));
  EXPECT_EQ(state.jumped().jumped(3), state.jumped(4));
  EXPECT_NE(state.jumped().words(), RandomState{.seed = 5}.words());
}

TEST(Random, ChildrenHaveSeedsOfTheirOwn) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {0, 1, 2})
    for (const std::uint64_t stream : {0, 1})
      for (const auto generator : {RandomGenerator::philox, RandomGenerator::threefry}) {
        RandomState parent{.seed = seed, .stream = stream, .generator = generator};
        for (int call = 0; call < 2; ++call)
          for (const RandomState& child : parent.spawn(10)) {
            EXPECT_TRUE(seeds.insert(child.seed).second);
            EXPECT_EQ(child.generator, generator);
            EXPECT_EQ(child.position, 0u);
          }
        EXPECT_EQ(parent.spawned, 20u);
      }
  RandomState whole{.seed = 9}, parts = whole;
  const std::vector<RandomState> three = whole.spawn(3);
  EXPECT_EQ(parts.spawn(1)[0], three[0]);
  EXPECT_EQ(parts.spawn(2)[1], three[2]);
}

}  // namespace
}  // namespace treadle
