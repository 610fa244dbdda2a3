// SPDX-License-Identifier: MIT
#include "treadle/base/c_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace treadle;

TEST(CText, KnowsWhereCommentsEnd) {
  EXPECT_EQ(behind_comment("a /* b */ c", 2), 9U);
  EXPECT_EQ(behind_comment("a // b\nc", 2), 6U);
  EXPECT_EQ(behind_comment("/* a", 0), 4U);
  EXPECT_EQ(behind_comment("// a", 0), 4U);
  EXPECT_EQ(behind_comment("/*/ a */", 0), 8U);
  EXPECT_EQ(behind_comment("a / b", 2), 2U);
}

TEST(CText, KnowsWhereLiteralsEnd) {
  EXPECT_EQ(behind_literal("f(\"a\\\"b\", 1)", 2), 8U);
  EXPECT_EQ(behind_literal("'\\''", 0), 4U);
  EXPECT_EQ(behind_literal("L'\"' c", 1), 4U);
  EXPECT_EQ(behind_literal("\"\\\\\" c", 0), 4U);
  for (const std::string text : {"1'000", "0xab'cd'ef", "#error don't", "\"a\nb\"", "\"a\\"})
    for (std::size_t at = 0; at < text.size(); ++at)
      EXPECT_EQ(behind_literal(text, at), at) << text;
  EXPECT_EQ(behind_literal("", 0), 0U);
}

TEST(CText, HasLines) {
  EXPECT_THAT(lines_of("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("a"), ElementsAre("a"));
}

}  // namespace
