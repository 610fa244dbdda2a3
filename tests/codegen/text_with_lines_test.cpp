// SPDX-License-Identifier: MIT
#include "treadle/codegen/text_with_lines.hpp"

#include <gtest/gtest.h>

namespace treadle::codegen {
namespace {

TEST(TextWithLines, SaysWhereLinesOfAnotherPlaceBegin) {
  const TextWithLines text{"a\nb\nc\nd\ne\n",
                           {{"x.py", 3}, {"x.py", 4}, {"y.py", 4}, {}, {"y.py", 6}}};
  EXPECT_EQ(with_line_directives(text), "#line 3 \"x.py\"\na\nb\n#line 4 \"y.py\"\nc\nd\ne\n");
  EXPECT_EQ(with_line_directives({"a\nb", {}}), "a\nb\n");
}

// A directive cannot stand inside of a macro's lines.
TEST(TextWithLines, LeavesLinesThatGoOnTogether) {
  const TextWithLines text{"#define A \\\n  b\nc\n", {{"x.py", 3}, {"x.py", 9}, {"x.py", 5}}};
  EXPECT_EQ(with_line_directives(text), "#line 3 \"x.py\"\n#define A \\\n  b\nc\n");
}

TEST(TextWithLines, EscapesNamesOfFiles) {
  EXPECT_EQ(with_line_directives({"a\n", {{"C:\\a\"b", 1}}}), "#line 1 \"C:\\\\a\\\"b\"\na\n");
}

TEST(TextWithLines, KeepsOneNameForAFile) {
  const std::string name = "some file.py";
  const char* const kept = kept_file_name(name);
  EXPECT_STREQ(kept, name.c_str());
  EXPECT_EQ(kept_file_name(std::string_view("some file.py!").substr(0, 12)), kept);
}

}  // namespace
}  // namespace treadle::codegen
