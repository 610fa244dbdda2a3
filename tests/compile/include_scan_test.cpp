// SPDX-License-Identifier: MIT
#include "compile/include_scan.hpp"

#include <gmock/gmock.h>

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(const std::vector<IncludeName>& includes) {
  std::vector<std::string> texts;
  for (const IncludeName& include : includes)
    texts.push_back(include.quoted ? '"' + include.name + '"' : '<' + include.name + '>');
  return texts;
}

TEST(IncludeScan, finds_every_spelling_of_an_include) {
  const char* rows[] = {
      "#include \"a.h\"",
      "  #  include \"a.h\"",
      "#include\"a.h\" // why",
      "#/* c */include \"a.h\"",
      "/* c */ #include \"a.h\"",
      "x;\n#include \"a.h\"\ny;",
      "#inc\\\nlude \"a.h\"",
      "#include \\\n \"a.h\"",
      "%:include \"a.h\"",
      "#include /* c */ \"a.h\"",
      "#import \"a.h\"",
      "#embed \"a.h\"",
      "\r\n#include \"a.h\"\r\n",
      "/* c\n*/ #include \"a.h\"",
      "#if 0\n#include \"a.h\"\n#endif",
      "// x\n/*\n#include \"a.h\"\n*/",
      "#inc\\  \nlude \"a.h\"",
      "%\\\n:include \"a.h\"",
  };
  for (const char* text : rows)
    EXPECT_THAT(names(scan_includes(text).includes), ElementsAre("\"a.h\"")) << text;
  EXPECT_THAT(names(scan_includes("#include <a/b.h>\n#include \"c.h\"").includes),
              ElementsAre("<a/b.h>", "\"c.h\""));
  EXPECT_TRUE(scan_includes("#include_next <a.h>").includes.at(0).next);
}

TEST(IncludeScan, is_silent_where_nothing_is_included) {
  const IncludeScan scan = scan_includes(
      "// see #include FOO\nint include = 3; #pragma unroll\n#define f(x) #x\nx = a ## b;\n");
  EXPECT_THAT(scan.includes, IsEmpty());
  EXPECT_EQ(scan.obstacle, "");
  EXPECT_FALSE(scan.names_its_file);
}

TEST(IncludeScan, does_not_guess_what_a_macro_includes) {
  EXPECT_EQ(scan_includes("#include HEADER").obstacle, "#include of a macro");
  EXPECT_EQ(scan_includes("#if __has_include(HEADER)").obstacle, "__has_include of a macro");
}

TEST(IncludeScan, finds_questions_also_behind_macros) {
  EXPECT_THAT(names(scan_includes("#if __has_include(<a.h>)").questions), ElementsAre("<a.h>"));
  const IncludeScan wrapped =
      scan_includes("#define HAS(x) __has_include(x)\n#if HAS(<b.h>) || HAS(\"c.h\")\n#endif");
  EXPECT_THAT(names(wrapped.questions), ElementsAre("<b.h>", "\"c.h\""));
  EXPECT_EQ(wrapped.obstacle, "");
  EXPECT_EQ(scan_includes("#if defined __has_include").obstacle, "");
}

TEST(IncludeScan, sees_names_of_file_and_time) {
  EXPECT_TRUE(scan_includes("f(__FILE__)").names_its_file);
  EXPECT_TRUE(scan_includes("assert(x)").names_its_file);
  EXPECT_TRUE(scan_includes("f(__TIME__)").names_the_time);
  EXPECT_FALSE(scan_includes("__shared__ int __FILES__;").names_its_file);
}

}  // namespace
}  // namespace treadle::compile
