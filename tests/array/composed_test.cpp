// SPDX-License-Identifier: MIT
// Functions that are several operations and reductions.
#include "treadle/array/composed.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class ArrayComposedTest : public OnEachArrayDevice {
 protected:
  Array make_rows() { return reshape(make({0, 1, 4, 9, 16, 25}), {2, 3}); }
};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayComposedTest, each_device(), device_test_name);

TEST_P(ArrayComposedTest, NumbersInPlaceOfNanAndInfinity) {
  const device::StreamScope scope(shared_stream());
  const float largest = std::numeric_limits<float>::max();
  const Array x = make({nan, infinity, -infinity, 2});
  expect(nan_to_num(x), {0, largest, -largest, 2});
  expect(nan_to_num(x, 5, 6, 7), {5, 6, 7, 2});
}

TEST_P(ArrayComposedTest, ChoicesAndPolynomials) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({0, 1, 2, 3});
  const std::vector<Array> conditions{less(x, 1), less(x, 3)};
  const std::vector<Operand> choices{10, x};
  expect(select(conditions, choices, -1), {10, 1, 2, -1});
  const std::vector<Operand> numbers{5, 6, 7};
  expect(cast(choose(cast(x, Scalar::int32), numbers), Scalar::float32), {5, 6, 7, 7});
  const std::vector<Operand> coefficients{2, 0, 1};
  const Array value = polyval(coefficients, x);
  EXPECT_TRUE(value.is_pending());
  expect(value, {1, 3, 9, 19});
  expect(sinc(make({0})), {1});
  EXPECT_THROW(select(conditions, {}, 0), InvalidArgument);
  EXPECT_THROW(choose(x, {}), InvalidArgument);
}

TEST_P(ArrayComposedTest, NeighboursAndProducts) {
  const device::StreamScope scope(shared_stream());
  const Array x = make_rows();
  expect(ravel(diff(x)), {1, 3, 7, 9});
  expect(ravel(diff(x, 2)), {2, 2});
  expect(ravel(diff(x, 1, 0)), {9, 15, 21});
  expect(ravel(diff(x, 0)), {0, 1, 4, 9, 16, 25});
  EXPECT_THROW(diff(x, -1), InvalidArgument);
  EXPECT_THROW(diff(x, 1, 2), IndexError);
  expect(ravel(outer(make({1, 2}), make({3, 4, 5}))), {3, 4, 5, 6, 8, 10});
  expect(reshape(trace(x), {1}), {16});
  expect(reshape(trace(x, 1), {1}), {26});
  expect(vecdot(x, make({1, 0, 2})), {8, 59});
  expect(trapezoid(x, 2.0), {6, 66});
  expect(trapezoid_at(x, make({0, 1, 3})), {5.5f, 53.5f});
  expect(trapezoid(x, 1.0, 0), {4.5f, 8.5f, 14.5f});
}

TEST_P(ArrayComposedTest, PlacesAmongNumbersOnly) {
  if (!runs_kernels()) GTEST_SKIP() << "it looks at elements, which are never computed here";
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({nan, 3, 1, 2, nan, 5}), {2, 3});
  expect(cast(nanargmax(x, 1), Scalar::float32), {1, 2});
  expect(cast(reshape(nanargmin(x), {1}), Scalar::float32), {2});
  EXPECT_EQ(nanargmin(x, 0, true).shape()[0], 1);
  EXPECT_THROW(nanargmax(make({nan, nan})), InvalidArgument);
  EXPECT_THROW(nanargmin(reshape(make({nan, 1}), {2, 1}), 1), InvalidArgument);
}

TEST_P(ArrayComposedTest, NormsOfMatrices) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({1, -2, 2, 4}), {2, 2});
  expect(matrix_norm(x), {5});
  expect(matrix_norm(x, MatrixNorm::one), {6});
  expect(matrix_norm(x, MatrixNorm::infinity, true), {6});
  expect(matrix_norm(x, MatrixNorm::minus_one), {3});
  expect(matrix_norm(x, MatrixNorm::minus_infinity), {3});
  EXPECT_THROW(matrix_norm(make({1})), ShapeError);
  expect(matrix_norm(x, MatrixNorm::one, {1, 0}), {6});
  expect(matrix_norm(transpose(x), MatrixNorm::minus_one, {1, 0}), {3});
  const Array one_each = reshape(x, {2, 1, 2});  // of each row a matrix
  expect(matrix_norm(one_each, MatrixNorm::infinity, {0, 2}), {6});
  expect(matrix_norm(one_each, MatrixNorm::frobenius, {2, 0}, true), {5});
  EXPECT_THROW(matrix_norm(x, MatrixNorm::one, {1, 1}), InvalidArgument);
  EXPECT_THROW(matrix_norm(x, MatrixNorm::one, {0, 2}), IndexError);
  EXPECT_EQ(matrix_norm(cast(x, Scalar::int32), MatrixNorm::one).dtype(), Scalar::float64);
  expect(inner(make({1, 2}), make({3, 4})), {11});
}

TEST_P(ArrayComposedTest, PowersAndKindsOfNumbers) {
  const device::StreamScope scope(shared_stream());
  const auto as_float = [](const Array& x) { return cast(x, Scalar::float32); };
  const float inf = std::numeric_limits<float>::infinity();
  expect(as_float(float_power(cast(make({2, 4}), Scalar::int32), make({-1, 2}))), {0.5f, 16});
  const Array x = make({inf, -inf, 1.5f});
  expect(as_float(isposinf(x)), {1, 0, 0});
  expect(as_float(isneginf(x)), {0, 1, 0});
  expect(as_float(isreal(x)), {1, 1, 1});
  expect(as_float(iscomplex(x)), {0, 0, 0});
  expect(fix(make({-1.5f, 2.7f})), {-1, 2});
}

}  // namespace
}  // namespace treadle::array
