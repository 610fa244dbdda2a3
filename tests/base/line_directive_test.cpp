// SPDX-License-Identifier: MIT
#include "treadle/base/line_directive.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace treadle {
namespace {

std::string read(std::string_view line) {
  const auto directive = line_directive(line);
  return directive ? std::to_string(directive->line) + directive->name : "none";
}

TEST(LineDirective, numbers_and_names_are_read_in_every_spelling) {
  EXPECT_EQ(read("#line 100 \"gen.c\""), "100\"gen.c\"");
  EXPECT_EQ(read("  #  line\t7"), "7");
  EXPECT_EQ(read("# 12 \"a b.c\" 1 3"), "12\"a b.c\"");
  EXPECT_EQ(read(R"(#line 3 "a\"b.c" // c)"), R"(3"a\"b.c")");
  EXPECT_EQ(read("#line LINE \"gen.c\""), "0");
  for (const char* other : {"", "line 3", "#", "#define line 3", "#lines 3", "#include \"line\""})
    EXPECT_EQ(read(other), "none") << other;
}

TEST(LineDirective, a_number_beyond_every_counter_is_the_greatest) {
  const auto far = line_directive("#line 4000000000 \"a.cu\"");
  ASSERT_TRUE(far.has_value());
  EXPECT_EQ(far->line, std::numeric_limits<int>::max());
  EXPECT_EQ(far->name, "\"a.cu\"");
  EXPECT_EQ(line_directive_behind("#line 4000000000\na\nb\n", ""), "#line 2147483647\n");
}

TEST(LineDirective, a_place_has_the_line_and_the_name_that_directives_before_it_gave) {
  EXPECT_EQ(line_directive_behind("", "\"k\""), "#line 1 \"k\"\n");
  EXPECT_EQ(line_directive_behind("\n\n", ""), "#line 3\n");
  EXPECT_EQ(line_directive_behind("//\n#line 100 \"gen.c\"\n", "\"k\""), "#line 100 \"gen.c\"\n");
  EXPECT_EQ(line_directive_behind("#line 100\nint x;\n", "\"k\""), "#line 101 \"k\"\n");
  EXPECT_EQ(line_directive_behind("#line 9 \"a\"\n\n# 5 \"b\"\n\n#line 7\n", ""),
            "#line 7 \"b\"\n");
  EXPECT_EQ(line_directive_behind("/*\n#line 9 \"a\"\n*/\n", "\"k\""), "#line 4 \"k\"\n");
  EXPECT_EQ(line_directive_behind("#line NUMBER\n", "\"k\""), "#line 2 \"k\"\n");
  EXPECT_EQ(line_directive_behind("/* x */ #line /* y */ 100 \"g\"\n", ""), "#line 100 \"g\"\n");
  EXPECT_EQ(line_directive_behind("/* x\n */#line 100 \"g\"\n\n", ""), "#line 101 \"g\"\n");
  EXPECT_EQ(line_directive_behind("#line \\\n100 \\\r\n \"g\"\n", ""), "#line 100 \"g\"\n");
  EXPECT_EQ(line_directive_behind("int x \\\n= 1;\n", ""), "#line 3\n");
}

TEST(LineWalk, every_line_has_the_number_and_the_name_that_directives_give_it) {
  std::string seen;
  for (LineWalk lines("a\n#line \\\n7 \"x\\\"y\"\nb\n/*\n#line 3\n*/\nc\n", "\"k\""); lines.next();)
    seen += std::to_string(lines.number()) + unquoted_name(lines.name()) +
            (lines.is_directive() ? "#" : ":") + std::string(lines.text()) + '|';
  EXPECT_EQ(seen,
            "1k:a|2k:#line \\|3k#7 \"x\\\"y\"|7x\"y:b|8x\"y:/*|9x\"y:#line 3|10x\"y:*/|11x\"y:c|"
            "12x\"y:|");
}

}  // namespace
}  // namespace treadle
