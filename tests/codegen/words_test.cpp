// SPDX-License-Identifier: MIT
#include "codegen/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace treadle::codegen {
namespace {

using testing::ElementsAre;

const std::vector<Word> sample = read_words(R"(
#define TREADLE_KERNEL __kernel void
#define treadle_fence() fence(ALL)
#define ALL (1 | 2)
#define treadle_pair(type, a, b) make_##type(a, \
                                             b)
)");

TEST(Words, standForTheirTextAndTheWordsInIt) {
  EXPECT_EQ(expand_words("TREADLE_KERNEL k() { treadle_fence(); }", sample),
            "__kernel void k() { fence((1 | 2)); }");
  EXPECT_EQ(expand_words("TREADLE_KERNELS ALL2", sample), "TREADLE_KERNELS ALL2");
}

TEST(Words, takeArgumentsWithBracketsAndCommas) {
  EXPECT_EQ(expand_words("x = treadle_pair(int2, f(a, b), ALL);", sample),
            "x = make_int2(f(a, b), (1 | 2));");
}

TEST(Words, argumentsEndWithTheBracketThatClosesThem) {
  std::string_view text = "a, g(b, c)) + d";
  EXPECT_THAT(take_arguments(text), ElementsAre("a", "g(b, c)"));
  EXPECT_EQ(text, " + d");
  std::string_view none = ")";
  EXPECT_THAT(take_arguments(none), ElementsAre());
}

TEST(Words, identifiersAreNotPartsOfNumbers) {
  EXPECT_EQ(replace_identifiers("a1 + 0x1f + b", [](std::string_view) { return "x"; }),
            "x + 0x1f + x");
}

TEST(Words, textsMentionIdentifiersNotPartsOfThem) {
  EXPECT_TRUE(mentions("y[i] = prev_item;", "prev_item"));
  EXPECT_FALSE(mentions("y[i] = prev_items + my_prev_item;", "prev_item"));
  EXPECT_EQ(in_one_line("a +\nb"), "a + b");
}

}  // namespace
}  // namespace treadle::codegen
