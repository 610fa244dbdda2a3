// SPDX-License-Identifier: MIT
#include "treadle/codegen/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;

/// 5x + 6y.
Expression linear_combination(Op last = Op::add) {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32), a = build.scalar(Scalar::float32);
  const Value y = build.leaf(Scalar::float32), b = build.scalar(Scalar::float32);
  const Value ax = build.step(Op::multiply, Scalar::float32, {a, x});
  build.output(
      build.step(last, Scalar::float32, {ax, build.step(Op::multiply, Scalar::float32, {b, y})}));
  return build.build();
}

void expect_refused(const Expression& expression, const std::string& part) {
  try {
    expression.require_valid();
    ADD_FAILURE() << "taken, where this was expected: " << part;
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.message(), HasSubstr(part));
  }
}

TEST(Expression, NumbersItsValuesInTheOrderTheyAreMade) {
  const Expression e = linear_combination();
  ASSERT_EQ(e.instructions.size(), 7u);
  EXPECT_EQ(e.instructions[0], (Instruction{Op::leaf, Scalar::float32, {0}}));
  EXPECT_EQ(e.instructions[3], (Instruction{Op::scalar, Scalar::float32, {1}}));
  EXPECT_EQ(e.instructions[6], (Instruction{Op::add, Scalar::float32, {4, 5}}));
  EXPECT_EQ(e.outputs, std::vector<Value>{6});
  EXPECT_EQ(e.cost(), 3u);
}

TEST(Expression, EqualStepsAreOneValue) {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32), y = build.leaf(Scalar::float32);
  const Value product = build.step(Op::multiply, Scalar::float32, {x, y});
  EXPECT_EQ(build.step(Op::multiply, Scalar::float32, {y, x}), product);
  EXPECT_NE(build.step(Op::subtract, Scalar::float32, {x, y}),
            build.step(Op::subtract, Scalar::float32, {y, x}));
  EXPECT_EQ(build.cast(product, Scalar::float32), product);
  EXPECT_EQ(build.position(), build.position());
}

TEST(Expression, KeysDifferWhereTextsDo) {
  EXPECT_EQ(linear_combination().key(), linear_combination().key());
  EXPECT_NE(linear_combination().key(), linear_combination(Op::subtract).key());
  const auto sum = [](bool twice) {
    ExpressionBuilder build;
    const Value x = build.leaf(Scalar::int8), y = twice ? x : build.leaf(Scalar::int8);
    build.output(build.step(Op::add, Scalar::int8, {x, y}));
    return build.build().key();
  };
  EXPECT_NE(sum(true), sum(false));
  const auto in_place = [](int output) {
    ExpressionBuilder build;
    build.output(build.step(Op::negative, Scalar::int8, {build.leaf(Scalar::int8, output)}));
    return build.build().key();
  };
  EXPECT_NE(in_place(-1), in_place(0));
}

TEST(Expression, KnowsTheDtypeOfEachValue) {
  const auto pair =
      DType::structure("pair", {{"a", Scalar::int8, 0}, {"b", Scalar::int8, 1}}, 2, 1);
  ExpressionBuilder build;
  const Value x = build.leaf(pair), y = build.leaf(pair), which = build.leaf(Scalar::boolean);
  const Value chosen = build.step(Op::where, Scalar::structure, {which, x, y});
  build.output(chosen);
  const Expression e = build.build();
  EXPECT_EQ(e.dtype_of(chosen), pair);
  EXPECT_EQ(e.dtype_of(which), DType(Scalar::boolean));
  EXPECT_FALSE(e.uses_position());
}

TEST(Expression, RefusesWhatIsNotMadeBefore) {
  Expression e = linear_combination();
  e.instructions[4].operands[1] = 6;
  expect_refused(e, "instruction 4 of an expression, multiply, uses value 6");
  e = linear_combination();
  e.instructions[0].operands[0] = 2;
  expect_refused(e, "reads leaf 2 of 2");
  e = linear_combination();
  e.instructions[1].operands[0] = 9;
  expect_refused(e, "is scalar 9 of 2");
  e = linear_combination();
  e.outputs.push_back(7);
  expect_refused(e, "stores value 7");
  e = linear_combination();
  e.leaves[0].in_place = 1;
  expect_refused(e, "in place of output 1 of 1");
}

TEST(Expression, RefusesDtypesThatAnOperationDoesNotComputeIn) {
  Expression e = linear_combination();
  e.leaves[0].dtype = Scalar::float64;
  expect_refused(e, "its leaf float64");
  e = linear_combination();
  e.scalars[1] = Scalar::int8;
  expect_refused(e, "its scalar int8");
  const auto one = [](Op op, Scalar in, Scalar out) {
    return Expression{{{Op::leaf, in, {0}}, {op, out, {0, 0, 0}}}, {{in}}, {}, {1}};
  };
  expect_refused(one(Op::sin, Scalar::int32, Scalar::int32),
                 "operand of int32 where it computes in float64");
  expect_refused(one(Op::negative, Scalar::boolean, Scalar::boolean), "does not take bool");
  expect_refused(one(Op::less, Scalar::int32, Scalar::int32), "gives bool, not int32");
  expect_refused(one(Op::absolute, Scalar::complex64, Scalar::complex64), "gives float32");
  EXPECT_NO_THROW(one(Op::absolute, Scalar::complex64, Scalar::float32).require_valid());
  EXPECT_NO_THROW(one(Op::make_complex, Scalar::float64, Scalar::complex128).require_valid());
  EXPECT_NO_THROW(one(Op::bitwise_count, Scalar::int64, Scalar::uint8).require_valid());
  EXPECT_NO_THROW(one(Op::frexp_exponent, Scalar::float16, Scalar::int32).require_valid());
  EXPECT_NO_THROW(one(Op::cast, Scalar::complex64, Scalar::boolean).require_valid());
  const Expression mixed{{{Op::leaf, Scalar::float32, {0}},
                          {Op::leaf, Scalar::int32, {1}},
                          {Op::add, Scalar::float32, {0, 1}}},
                         {{Scalar::float32}, {Scalar::int32}},
                         {},
                         {2}};
  expect_refused(mixed, "operand of float32 where it computes in float64");
  Expression scaled = mixed;
  scaled.instructions[2].op = Op::ldexp;
  EXPECT_NO_THROW(scaled.require_valid());
}

TEST(Expression, BuilderRefusesWhatIsNoExpression) {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32);
  EXPECT_THROW(build.build(), InvalidArgument);
  EXPECT_THROW(build.step(Op::add, Scalar::float32, {x}), InvalidArgument);
  for (int i = 0; i < 254; ++i) build.leaf(Scalar::float32);
  EXPECT_THROW(build.leaf(Scalar::float32), InvalidArgument);
}

}  // namespace
}  // namespace treadle::codegen
