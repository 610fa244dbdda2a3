// SPDX-License-Identifier: MIT
#include "opencl/long_expressions.hpp"

#include <gtest/gtest.h>

#include <string>

namespace treadle::opencl {
namespace {

std::string sum_of(std::size_t terms) {
  std::string text = "x[i]";
  for (std::size_t i = 1; i < terms; ++i) text += "+x[i]";
  return text;
}

TEST(LongExpressions, OperatorsAreCountedBetweenSeparators) {
  EXPECT_EQ(longest_expression("").operators, 0u);
  EXPECT_EQ(longest_expression("int a[] = {1+2, 3+4, 5*6-7};").operators, 2u);
  EXPECT_EQ(longest_expression(sum_of(1000) + ";").operators, 999u);
  EXPECT_EQ(longest_expression("a <<= b << 2; x += 1;").operators, 2u);
  EXPECT_EQ(longest_expression("/* a+b+c */ \"+-\\\"*/\" '+' // x+y+z\n + 1").operators, 1u);
  EXPECT_EQ(longest_expression("// a\n+b").operators, 1u);
  EXPECT_EQ(longest_expression("/* never ended").operators, 0u);
}

TEST(LongExpressions, TheLineIsThatOfTheFirstOperator) {
  EXPECT_EQ(longest_expression("a;\nb = 1 +\n2 + 3;\nc;").line, 2u);
  EXPECT_EQ(longest_expression("a;/*\n\n*/b;\nc + d + e;").line, 4u);
}

}  // namespace
}  // namespace treadle::opencl
