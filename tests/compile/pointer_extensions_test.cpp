// SPDX-License-Identifier: MIT
#include "compile/pointer_extensions.hpp"

#include <gtest/gtest.h>

namespace treadle::compile {
namespace {

std::string mended(std::string text, const std::string& log) {
  for (const Insertion& insertion : pointer_insertions(text, log, "a.cu"))
    text.insert(insertion.at, insertion.text);
  return text;
}

TEST(PointerExtensions, clang_says_the_operator) {
  const std::string sum = ": error: arithmetic on a pointer to void\n";
  EXPECT_EQ(mended("\nq = p + 4;", "a.cu:2:7" + sum), "\nq = p * __treadle_bytes + 4;");
  EXPECT_EQ(mended("p += 4;", "a.cu:1:3" + sum), "p * __treadle_bytes += 4;");
  EXPECT_EQ(mended("p++;", "a.cu:1:2" + sum), "p++;");
  const std::string order = ": error: ordered comparison between pointer and zero ";
  EXPECT_EQ(mended("p > 0", "a.cu:1:3" + order + "('int *' and 'int')\n"),
            "p > __treadle_null * 0");
  EXPECT_EQ(mended("p >= 0", "a.cu:1:3" + order + "('int *' and 'int')\n"),
            "p >= __treadle_null * 0");
  EXPECT_EQ(mended("0 < p", "a.cu:1:3" + order + "('int' and 'int *')\n"),
            "0 * __treadle_null < p");
}

TEST(PointerExtensions, nvrtc_shows_the_pointer) {
  const std::string log =
      "a.cu(7): error: expression must be a pointer to a complete object type\n";
  const std::string text = "#line 7 \"a.cu\"\n  x = s.p - 4;";
  EXPECT_EQ(mended(text, log + "    x = s.p - 4;\n        ^\n"),
            "#line 7 \"a.cu\"\n  x = __treadle_bytes * s.p - 4;");
  EXPECT_EQ(mended("p++;", "a.cu(1)" + log.substr(7) + "  p++;\n  ^\n"), "p++;");
}

TEST(PointerExtensions, places_of_which_little_is_known_stay) {
  const std::string sum = ": error: arithmetic on a pointer to void\n";
  for (const std::string& log : std::vector<std::string>{
           "", "b.cu:1:3" + sum, "a.cu:9:3" + sum, "a.cu:1:99" + sum, "a.cu:1:1" + sum,
           "a.cu:1:3: error: something else\n",
           "a.cu:1:3" + sum + "a.cu:5:1: note: in instantiation of function template\n",
           "a.cu:1:3: error: ordered comparison between pointer and zero ('"})
    EXPECT_EQ(mended("p + 4", log), "p + 4") << log;
}

}  // namespace
}  // namespace treadle::compile
