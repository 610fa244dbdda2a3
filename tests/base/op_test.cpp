// SPDX-License-Identifier: MIT
#include "treadle/base/op.hpp"

#include <gtest/gtest.h>

namespace treadle {
namespace {

TEST(Op, everyOperationIsFoundByItsName) {
  for (int number = 0; number <= static_cast<int>(Op::iota); ++number) {
    const auto op = static_cast<Op>(number);
    EXPECT_EQ(find_op(op_info(op).name), op) << op_info(op).name;
  }
}

TEST(Op, unknownNamesAreNone) { EXPECT_FALSE(find_op("sine")); }

TEST(Op, aritiesAreThoseOfNumpy) {
  EXPECT_EQ(op_info(Op::add).arity, 2);
  EXPECT_EQ(op_info(Op::where).arity, 3);
  EXPECT_EQ(op_info(Op::sin).arity, 1);
  EXPECT_EQ(op_info(Op::leaf).arity, 0);
}

}  // namespace
}  // namespace treadle
