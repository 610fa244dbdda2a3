// SPDX-License-Identifier: MIT
#include "treadle/tune/value.hpp"

#include <gtest/gtest.h>

namespace treadle::tune {
namespace {

TEST(TuneValueTest, IsWrittenAsPythonDoes) {
  EXPECT_EQ(value_text(true), "True");
  EXPECT_EQ(value_text(std::int64_t{-32}), "-32");
  EXPECT_EQ(value_text(0.1), "0.1");
  EXPECT_EQ(value_text(2.0), "2.0");
  EXPECT_EQ(value_text(1e300), "1e+300");
  EXPECT_EQ(value_text("it's \\"), "'it\\'s \\\\'");
}

TEST(TuneValueTest, IsEqualAsInPython) {
  EXPECT_TRUE(are_equal(Value(true), Value(std::int64_t{1})));
  EXPECT_TRUE(are_equal(Value(std::int64_t{1}), Value(1.0)));
  EXPECT_FALSE(are_equal(Value("1"), Value(std::int64_t{1})));
  EXPECT_FALSE(are_equal(Value("a"), Value("b")));
}

TEST(TuneValueTest, IsTrueUnlessZeroOrEmpty) {
  for (const Value& value : {Value(true), Value(std::int64_t{-1}), Value(0.5), Value("x")})
    EXPECT_TRUE(is_true(value));
  for (const Value& value : {Value(false), Value(std::int64_t{0}), Value(-0.0), Value("")})
    EXPECT_FALSE(is_true(value));
}

}  // namespace
}  // namespace treadle::tune
