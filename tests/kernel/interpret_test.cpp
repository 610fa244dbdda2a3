// SPDX-License-Identifier: MIT
// tests/python/interpret_test.py compares every operation and dtype with NumPy.
#include "kernel/reference/interpret.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::kernel {
namespace {

using codegen::Expression;
using Values = std::vector<std::int64_t>;

template <class T>
ElementBytes bytes_of(T value) {
  ElementBytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
template <class T>
HostInput input(const std::vector<T>& values) {
  return {values.data(),
          Layout::contiguous(Values{static_cast<std::int64_t>(values.size())}, sizeof(T))};
}
template <class T>
HostOutput output(std::vector<T>& values) {
  return {values.data(), input(values).layout};
}

// Of two leaves of one dtype.
Expression binary_expression(Op op, Scalar dtype) {
  Expression expression;
  expression.instructions = {{Op::leaf, dtype, {0}},
                             {Op::leaf, dtype, {1}},
                             {op, resolve(op, dtype, dtype).result, {0, 1}}};
  expression.leaves = {{dtype}, {dtype}};
  expression.outputs = {2};
  return expression;
}

template <class T>
std::vector<T> computed(Op op, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result(a.size());
  const HostInput inputs[] = {input(a), input(b)};
  const HostOutput outputs[] = {output(result)};
  interpret(binary_expression(op, dtype_of<T>().scalar()), inputs, {}, outputs);
  return result;
}

TEST(Interpret, DivisionsThatTrapOnProcessorsHaveNumpysValues) {
  constexpr int smallest = std::numeric_limits<int>::min();
  const std::vector<int> a = {7, -7, smallest}, b = {0, 0, -1};
  EXPECT_EQ(computed(Op::floor_divide, a, b), (std::vector<int>{0, 0, smallest}));
  EXPECT_EQ(computed(Op::remainder, a, b), (std::vector<int>{0, 0, 0}));
}

TEST(Interpret, ShiftsByTheWidthOrMoreMoveEveryBitOut) {
  const std::vector<int> a = {5, -5, 5, -5}, b = {32, 32, -1, 100};
  EXPECT_EQ(computed(Op::left_shift, a, b), (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(computed(Op::right_shift, a, b), (std::vector<int>{0, -1, 0, -1}));
}

TEST(Interpret, FiveXAndSixY) {
  Expression expression;
  expression.instructions = {
      {Op::leaf, Scalar::float32, {0}},        {Op::scalar, Scalar::float32, {0}},
      {Op::multiply, Scalar::float32, {1, 0}}, {Op::leaf, Scalar::float32, {1}},
      {Op::scalar, Scalar::float32, {1}},      {Op::multiply, Scalar::float32, {4, 3}},
      {Op::add, Scalar::float32, {2, 5}}};
  expression.leaves = {{Scalar::float32}, {Scalar::float32, 0}};
  expression.scalars = {Scalar::float32, Scalar::float32};
  expression.outputs = {6};
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> y = {10, 20, 30};
  const HostInput inputs[] = {input(x), input(y)};
  const ElementBytes scalars[] = {bytes_of(5.0f), bytes_of(6.0f)};
  const HostOutput outputs[] = {output(y)};
  interpret(expression, inputs, scalars, outputs);
  EXPECT_EQ(y, (std::vector<float>{65, 130, 195}));
}

TEST(Interpret, WhatDoesNotFitIsRefused) {
  const std::vector<float> two(2), three(3);
  std::vector<float> result(3);
  const HostInput inputs[] = {input(three), input(two)};
  const HostOutput outputs[] = {output(result)};
  const Expression sum = binary_expression(Op::add, Scalar::float32);
  EXPECT_THROW(interpret(sum, inputs, {}, outputs), ShapeError);
  EXPECT_THROW(interpret(sum, std::span(inputs).first(1), {}, outputs), InvalidArgument);
  EXPECT_THROW(interpret(sum, inputs, {}, {}), InvalidArgument);
  Expression record = sum;
  record.instructions[0].dtype = Scalar::structure;
  const HostInput same[] = {input(three), input(three)};
  EXPECT_THROW(interpret(record, same, {}, outputs), DTypeError);
}

}  // namespace
}  // namespace treadle::kernel
