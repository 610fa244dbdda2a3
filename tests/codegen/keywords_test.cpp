// SPDX-License-Identifier: MIT
#include "treadle/codegen/keywords.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using Values = std::map<std::string, KeyValue, std::less<>>;

std::string replaced(std::string_view text, const Values& values, KeyOptions options = {}) {
  return replace_keys(text, values, options).text;
}

std::string refusal(std::string_view text, const Values& values, KeyOptions options = {}) {
  try {
    replace_keys(text, values, options);
  } catch (const InvalidArgument& refused) {
    return refused.message();
  }
  return "replaced";
}

TEST(Keywords, AreReplacedInEveryStyle) {
  const Values values{{"a", 2}, {"b", "x[i]"}};
  EXPECT_EQ(replaced("%(a)s * %(b)s %% %(a)d", values), "2 * x[i] % 2");
  EXPECT_EQ(replaced("$a * ${b}c $$ $1", values, {.style = KeyStyle::dollar}), "2 * x[i]c $ $1");
  EXPECT_EQ(replaced("{{a}} * {{ b }} { }", values, {.style = KeyStyle::braces}), "2 * x[i] { }");
  EXPECT_EQ(replaced("no key", {}), "no key");
}

TEST(Keywords, ValuesAreWrittenAsTheLanguageReadsThem) {
  const Values values{{"f", 1.5f}, {"d", 2.0}, {"t", Scalar::int64}};
  const std::string text = "%(t)s x = %(f)s + %(d)s;";
  EXPECT_EQ(replaced(text, values, {.language = Language::cuda_c}), "long long x = 1.5f + 2.0;");
  EXPECT_EQ(replaced(text, values, {.language = Language::opencl_c}), "long x = 1.5f + 2.0;");
}

TEST(Keywords, ThatAreMissingOrUnusedAreNamedWithTheirLine) {
  const KeyOptions at_ten{.begin = {"k.py", 10}};
  EXPECT_EQ(refusal("a\n%(b)s\n%(c)s", {}, at_ten),
            "the text has keys without a value: b (k.py:11), c (k.py:12)");
  EXPECT_EQ(refusal("a\n%(b)s", {{"d", 1}}),
            "the text has keys without a value: b (line 2); and there are values without a key: d");
  EXPECT_EQ(refusal("%(a)s", {{"a", 1}, {"b", 2}, {"c", 3}}, at_ten),
            "there are values without a key in the text of k.py:10: b, c");
  EXPECT_NE(refusal("\n%(a\n)s", {{"a", 1}}).find("line 2: the key \"%(a\" is not closed"),
            std::string::npos);
  EXPECT_NE(refusal("%(a)5.2f", {{"a", 1}}).find("has no s behind it"), std::string::npos);
  EXPECT_NE(refusal("${a", {{"a", 1}}, {.style = KeyStyle::dollar}).find("is not closed"),
            std::string::npos);
}

TEST(Keywords, FitTheirHoles) {
  const KeyOptions options{
      .holes = {{"T", Hole::dtype}, {"n", Hole::constant}, {"u", Hole::unroll_count}}};
  const std::string text = "%(T)s %(n)s %(u)s";
  EXPECT_EQ(replaced(text, {{"T", Scalar::float32}, {"n", 1.0}, {"u", 4}}, options), "float 1.0 4");
  EXPECT_NE(refusal(text, {{"T", "float"}, {"n", 1}, {"u", 4}}, options).find("wanted: a dtype"),
            std::string::npos);
  EXPECT_NE(refusal(text, {{"T", Scalar::int8}, {"n", "1"}, {"u", 4}}, options)
                .find("the key n is 1, wanted: a number"),
            std::string::npos);
  for (const KeyValue& count : {KeyValue(0), KeyValue(-2), KeyValue(1.5)})
    EXPECT_NE(refusal(text, {{"T", Scalar::int8}, {"n", 1}, {"u", count}}, options)
                  .find("a whole number above 0"),
              std::string::npos);
}

TEST(Keywords, LinesAreThoseOfTheText) {
  const TextWithLines result =
      replace_keys("a\n%(b)s\nc\n", {{"b", "x\ny"}}, {.begin = {"k.py", 5}});
  EXPECT_EQ(result.text, "a\nx\ny\nc\n");
  ASSERT_EQ(result.lines.size(), 4u);
  EXPECT_EQ(result.lines[1].line, 6u);
  EXPECT_EQ(result.lines[2].line, 6u);
  EXPECT_EQ(result.lines[3].line, 7u);
}

}  // namespace
}  // namespace treadle::codegen
