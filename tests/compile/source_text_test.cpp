// SPDX-License-Identifier: MIT
#include "compile/source_text.hpp"

#include <gtest/gtest.h>

namespace treadle::compile {
namespace {

std::string opening(std::string_view source) {
  return std::string(source.substr(0, opening_length(source)));
}

TEST(SourceText, the_source_keeps_its_name_and_lines) {
  EXPECT_EQ(compiler_text("int x;", "kernel.cu", false), "#line 1 \"kernel.cu\"\nint x;");
  EXPECT_EQ(compiler_text("int x;", "a \"b\\.cu", true),
            "#line 1 \"a \\\"b\\\\.cu\"\nextern \"C\" {\n#line 1 \"a \\\"b\\\\.cu\"\nint x;\n}\n");
  EXPECT_EQ(compiler_text("#include <a>\n\nint x; // end", "k", true),
            "#line 1 \"k\"\n#include <a>\n\nextern \"C\" {\n#line 3 \"k\"\nint x; // end\n}\n");
}

TEST(SourceText, lines_are_counted_as_the_source_says) {
  EXPECT_EQ(compiler_text("#line 100 \"gen.c\"\nint x;", "k", true),
            "#line 1 \"k\"\n#line 100 \"gen.c\"\nextern \"C\" {\n#line 100 \"gen.c\"\nint x;\n}\n");
  EXPECT_EQ(
      compiler_text("# 7 \"gen.c\"\n#include <a>\nint x;", "k", true),
      "#line 1 \"k\"\n# 7 \"gen.c\"\n#include <a>\nextern \"C\" {\n#line 8 \"gen.c\"\nint x;\n}\n");
  EXPECT_EQ(opening("#include <a>\n#line NUMBER \"gen.c\"\n#include <b>\n"), "#include <a>\n");
  EXPECT_EQ(opening("#include <a>\n#if X\n#line 9\n#endif\n#include <b>\n"), "#include <a>\n");
}

TEST(SourceText, a_byte_order_mark_is_left_out) {
  EXPECT_EQ(compiler_text("\xEF\xBB\xBFint a;", "k.cu", false),
            compiler_text("int a;", "k.cu", false));
  EXPECT_EQ(compiler_text("\xEF\xBB\xBF#define A\nint a;", "k.cu", true),
            compiler_text("#define A\nint a;", "k.cu", true));
}

TEST(SourceText, the_wrapping_starts_behind_the_opening_directives) {
  EXPECT_EQ(opening("#include <a>\n#define N \\\n 3\n// c\n/* d\n */ \nint x;\n#define M"),
            "#include <a>\n#define N \\\n 3\n// c\n/* d\n */ \n");
  EXPECT_EQ(opening("int x;\n#include <a>\n"), "");
  EXPECT_EQ(opening("#if X\n#include <a>\n#endif\nint x;"), "#if X\n#include <a>\n#endif\n");
  EXPECT_EQ(opening("#include <a>\n#if X\nint x;\n#endif\n"), "#include <a>\n");
  EXPECT_EQ(opening("#define A 1 /* begins\n ends */ int x;"), "");
  EXPECT_EQ(opening("/* c */ int x;"), "");
  EXPECT_EQ(opening("#include <a>"), "#include <a>");
  EXPECT_EQ(opening("/* never closed"), "/* never closed");
  EXPECT_EQ(opening(""), "");
}

}  // namespace
}  // namespace treadle::compile
