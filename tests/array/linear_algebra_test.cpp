// SPDX-License-Identifier: MIT
// Products of vectors, traces and norms.
#include "treadle/array/linear_algebra.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class ArrayLinearAlgebraTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayLinearAlgebraTest, each_device(), device_test_name);

TEST_P(ArrayLinearAlgebraTest, ProductsAndTraces) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({0, 1, 4, 9, 16, 25}), {2, 3});
  expect(ravel(outer(make({1, 2}), make({3, 4, 5}))), {3, 4, 5, 6, 8, 10});
  expect(reshape(trace(x), {1}), {16});
  expect(reshape(trace(x, 1), {1}), {26});
  expect(vecdot(x, make({1, 0, 2})), {8, 59});
}

TEST_P(ArrayLinearAlgebraTest, NormsOfMatrices) {
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
}

TEST_P(ArrayLinearAlgebraTest, ProductsOfVectorsInSpace) {
  const device::StreamScope scope(shared_stream());
  expect(cross(make({1, 2, 3}), make({4, 5, 6})), {-3, 6, -3});
  expect(cross(make({1, 2}), make({4, 5, 6})), {12, -6, -3});
  expect(reshape(cross(make({1, 2}), make({4, 5})), {1}), {-3});
  EXPECT_THROW(cross(make({1, 2, 3, 4}), make({1, 2, 3})), ShapeError);
  const Array square = reshape(make({1, 2, 3, 4}), {2, 2});
  expect(kron(square, make({1, 10})), {1, 10, 2, 20, 3, 30, 4, 40});
  EXPECT_EQ(kron(square, square).shape()[1], 4);
  // int64 powers of float32 are float64.
  expect(cast(vander(make({2, 3}), 3), Scalar::float32), {4, 2, 1, 9, 3, 1});
  expect(cast(vander(make({2, 3}), 3, true), Scalar::float32), {1, 2, 4, 1, 3, 9});
  EXPECT_THROW(vander(square, 2), ShapeError);
}

TEST_P(ArrayLinearAlgebraTest, Covariances) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({1, 2, 3, 2, 2, 8}), {2, 3});
  const CovarianceOptions floats{.dtype = Scalar::float32};
  expect(covariance(x, floats), {1, 3, 3, 12});
  expect(covariance(transpose(x), {.has_rows = false, .dtype = Scalar::float32}), {1, 3, 3, 12});
  expect(correlation(make({1, 2, 3}), floats), {1});
  const Array counts = Array::from(std::vector{2, 0, 2}, here());
  expect(cast(covariance(x, {.correction = 0, .counts = &counts}), Scalar::float32), {1, 3, 3, 9});
  EXPECT_THROW(covariance(reshape(x, {1, 2, 3}), floats), ShapeError);
  const Array few = make({1, 2});
  EXPECT_THROW(covariance(x, {.weights = &few}), ShapeError);
}

}  // namespace
}  // namespace treadle::array
