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

/// As NVRTC says it, of the place that `caret` is below.
std::string nvrtc_log(const std::string& line, std::size_t caret) {
  return "a.cu(7): error: expression must be a pointer to a complete object type\n  " + line +
         "\n  " + std::string(caret, ' ') + "^\n";
}

std::string mended_by_nvrtc(const std::string& line, std::size_t caret) {
  const std::string directive = "#line 7 \"a.cu\"\n";
  return mended(directive + line, nvrtc_log(line, caret)).substr(directive.size());
}

TEST(PointerExtensions, nvrtc_shows_the_operand) {
  EXPECT_EQ(mended_by_nvrtc("  x = s.p - 4;", 6), "  x = s.p * __treadle_bytes - 4;");
  for (const std::string operand :
       {"p", "(p)", "(void*)o", "(const void *) o", "(void*)(o)", "(void*)&x", "*a", "**a", "a[1]",
        "a[i + 1].p", "q.p", "q->p", "n::p", "f(x - 1)", "f(q->p, 1 < 2)", "static_cast<void*>(o)",
        "(void*)f(\")\")[2]->p"})
    for (const std::string sum : {" + 4;", "+4;", " -= 4;", "-n + 2;"})
      EXPECT_EQ(mended_by_nvrtc("x = " + operand + sum, 4),
                "x = " + operand + (sum[0] == ' ' ? " " : "") + "* __treadle_bytes " +
                    sum.substr(sum[0] == ' ' ? 1 : 0));
  for (const std::string line : {"p++;", "p;", "p->q;", "p--", "p", "(", "f(", "a[", "\"", "*"})
    EXPECT_EQ(mended_by_nvrtc(line, 0), line);
  EXPECT_EQ(mended_by_nvrtc("4 + p;", 4), "4 + p;");
  // A line that the log does not show.
  EXPECT_EQ(mended("p + 4;", nvrtc_log("q + 4;", 0)), "p + 4;");
}

TEST(PointerExtensions, in_the_text_of_a_macro_every_place_is_meant) {
  const std::string macros =
      "#define AT(p, n) ((p) + (n) * 1e-5 - f((char)-1, \"a + b\", i++ + 2))\n"
      "#  define LESS(a) a < 0 || 0 >= a || NULL > (a) || g<0>(a << 0) || a <= 0.5\n"
      "#define NEXT(p) \\\n  AT(p, 8)\n#define SAME(p) (p)\n";
  const std::string sums =
      "#define AT(p, n) ((p) * __treadle_bytes + (n) * 1e-5 * __treadle_bytes - f((char)-1, \"a + "
      "b\", i++ * __treadle_bytes + 2))\n";
  const auto rest = [](const std::string& text, int lines) {
    std::size_t at = 0;
    for (int line = 0; line < lines; ++line) at = text.find('\n', at) + 1;
    return text.substr(at);
  };
  const std::string shown = "a.cu:6:1: error: arithmetic on a pointer to void\n    6 | AT(p, 4);\n";
  EXPECT_EQ(mended(macros + "AT(p, 4);",
                   shown + "a.cu:1:22: note: expanded from macro 'AT'\n  1 | #define AT\n"),
            sums + rest(macros, 1) + "AT(p, 4);");
  std::string log = nvrtc_log("NEXT(p);", 0);
  log.replace(log.find('7'), 1, "6");
  EXPECT_EQ(mended(macros + "NEXT(p);", log), sums + rest(macros, 1) + "NEXT(p);");
  log = nvrtc_log("SAME(p + 4);", 0);
  log.replace(log.find('7'), 1, "6");
  EXPECT_EQ(mended(macros + "SAME(p + 4);", log), macros + "SAME(p * __treadle_bytes + 4);");
  EXPECT_EQ(rest(mended(macros + "LESS(p);",
                        "a.cu:6:1: error: ordered comparison between pointer and zero ('int *' and "
                        "'int')\na.cu:2:19: note: expanded from macro 'LESS'\n"),
                 1),
            "#  define LESS(a) a < __treadle_null * 0 || 0 * __treadle_null >= a || NULL * "
            "__treadle_null > (a) || g<0>(a << 0) || a <= 0.5\n" +
                rest(macros, 2) + "LESS(p);");
}

TEST(PointerExtensions, places_of_which_nothing_is_known_stay) {
  const std::string sum = ": error: arithmetic on a pointer to void\n";
  for (const std::string& log :
       std::vector<std::string>{"", "b.cu:1:3" + sum, "a.cu:9:3" + sum, "a.cu:1:99" + sum,
                                "a.cu:1:3: error: something else\n",
                                "a.cu:1:3: error: ordered comparison between pointer and zero ('"})
    EXPECT_EQ(mended("p + 4", log), "p + 4") << log;
  // What stands there already did not help: once is enough.
  EXPECT_EQ(mended("p * __treadle_bytes + 4", "a.cu:1:21" + sum), "p * __treadle_bytes + 4");
}

}  // namespace
}  // namespace treadle::compile
