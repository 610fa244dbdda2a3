// SPDX-License-Identifier: MIT
#include "treadle/tune/formula.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "treadle/base/error.hpp"

namespace treadle::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string value_of(const char* text, const std::map<std::string, Value>& names = {}) {
  const Formula formula(text);
  std::vector<Value> values;
  for (const std::string& name : formula.names()) values.push_back(names.at(name));
  return value_text(formula(values));
}

TEST(FormulaTest, ComputesAsPythonDoes) {
  const std::pair<const char*, const char*> rows[] = {
      {"1 + 2 * 3 ** 2", "19"},
      {"-7 // 2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"7 / 2", "3.5"},
      {"4 / 2", "2.0"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ** 3 ** 2", "512"},
      {"True + True", "2"},
      {"True & False", "False"},
      {"6 & 3 | 8 ^ 1", "11"},
      {"1 << 4 >> 2", "4"},
      {"~5", "-6"},
      {"1 < 2 < 3", "True"},
      {"1 < 3 < 2", "False"},
      {"3 > 2 == 2", "True"},
      {"1 == 1.0", "True"},
      {"'1' == 1", "False"},
      {"'a' < 'b'", "True"},
      {"not 0 and 5", "5"},
      {"0 or '' or 7", "7"},
      {"0 and 1 // 0", "0"},
      {"1 if 0 else 2 if 1 else 3", "2"},
      {"(1 if 3 > 2 and not 0 else 2) + 10", "11"},
      {"2 in (1, 2)", "True"},
      {"2 not in [1, 3,]", "True"},
      {"'a' in {'b'}", "False"},
      {"3 in ()", "False"},
      {"'oa' in 'float'", "True"},
      {"1_000 + 0x10 + 0b11", "1019"},
      {"1e-3 * 2.5E+3", "2.5"},
      {".5", "0.5"},
      {"max(1, 2.5, 2) + min(3, 1)", "3.5"},
      {"ceil_div(7, 2) + math.ceil(2.1) + floor(-0.5)", "6"},
      {"round(2.5) + int(-2.7) + abs(-3)", "3"},
      {"log2(8) + sqrt(16) + pow(2, 3) + gcd(12, 18)", "21.0"},
      {"bool('x')", "True"},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(value_of(text), expected) << text;
}

TEST(FormulaTest, NamesItsValuesOnceInTheirOrder) {
  const Formula formula("b * a <= device.max_group_items and b > 0");
  EXPECT_THAT(formula.names(), ElementsAre("b", "a", "device.max_group_items"));
  EXPECT_EQ(
      value_of("b * a <= device.max_group_items", {{"a", std::int64_t{32}},
                                                   {"b", std::int64_t{32}},
                                                   {"device.max_group_items", std::int64_t{1024}}}),
      "True");
}

TEST(FormulaTest, SaysWhereItCannotBeRead) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "at its end (character 1)"},
      {"1 +", "at its end (character 4): a value is expected"},
      {"(a", "expected ')'"},
      {"a b", "nothing more is expected"},
      {"a ? b : c", "no operator of Python's"},
      {"p['a']", "write the parameter's name alone"},
      {"lambda x: x", "formulas have no such word"},
      {"a is None", "formulas have no such word"},
      {"maximum(1, 2)", "there is no function 'maximum'"},
      {"max(1)", "takes 2 or more values, not 1"},
      {"sqrt(1, 2)", "takes 1 of them, not 2"},
      {"99999999999999999999", "beyond 64 bits"},
      {"0x", "this is no number"},
      {"1.2.3", "this is no number"},
      {"'abc", "the text does not end"},
      {"a < b in (1, 2)", "parentheses"},
      {"a = 1", "no operator of Python's"},
  };
  for (const auto& [text, expected] : rows) {
    try {
      Formula{text};
      ADD_FAILURE() << text << " was read";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.message(), HasSubstr(expected)) << text;
    }
  }
  EXPECT_THROW(Formula(std::string(1000, '(')), InvalidArgument);
  EXPECT_THROW(Formula(std::string(1000, '-') + "1"), InvalidArgument);
}

TEST(FormulaTest, SaysForWhichValuesItHasNone) {
  const std::pair<const char*, const char*> rows[] = {
      {"a // 0", "divides by zero for a = 3"},
      {"a % 0", "divides by zero"},
      {"1.5 / (a - a)", "divides by zero"},
      {"a ** 50", "leaves the integers of 64 bits"},
      {"9223372036854775807 + a", "leaves the integers of 64 bits"},
      {"1 << 63", "leaves the integers of 64 bits"},
      {"a << -1", "shifts by a negative number"},
      {"'x' + a", "computes with a text"},
      {"'x' < a", "compares a text with a number"},
      {"1.5 & a", "needs integers"},
      {"sqrt(-a)", "root of a negative number"},
      {"a in 5", "no elements"},
  };
  for (const auto& [text, expected] : rows) {
    try {
      value_of(text, {{"a", std::int64_t{3}}});
      ADD_FAILURE() << text << " has a value";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.message(), HasSubstr(expected)) << text;
    }
  }
  EXPECT_THROW(Formula("a")({}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::tune
