// SPDX-License-Identifier: MIT
#include "treadle/linalg/decomposition.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "array/each_array_device.hpp"
#include "linalg/matrices.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::linalg {
namespace {

using array::device_test_name;
using array::each_device;

class DecompositionTest : public OnMatrices {};
INSTANTIATE_TEST_SUITE_P(Devices, DecompositionTest, each_device(), device_test_name);

TEST_P(DecompositionTest, EquationsAndDeterminants) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix({2, 1, 1, 3}, 2);
  expect_near(solve(a, make({3, 5})), {0.8f, 1.4f});
  expect_near(inv(a), {0.6f, -0.2f, -0.2f, 0.4f});
  EXPECT_NEAR(det(a).item().as_double(), 5, 1e-5);
  EXPECT_NEAR(slogdet(a).log_of_size.item().as_double(), std::log(5), 1e-5);
  expect_near(matrix_power(a, -2), {0.4f, -0.2f, -0.2f, 0.2f});
  const Array singular = matrix({1, 2, 2, 4}, 2);
  EXPECT_THROW(matrix_power(singular, -1), LinAlgError);
  EXPECT_EQ(det(singular).item().as_double(), 0);
  EXPECT_THROW(inv(singular), LinAlgError);
  EXPECT_THROW(solve(a, make({1, 2, 3})), ShapeError);
  EXPECT_THROW(inv(make({1, 2})), MatrixShapeError);
  EXPECT_THROW(det(matrix({1, 2, 3, 4, 5, 6}, 3)), ShapeError);
  EXPECT_THROW(inv(array::cast(a, Scalar::float16)), DTypeError);
}

TEST_P(DecompositionTest, FactorsMultiplyToTheMatrix) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix({4, 2, 2, 3}, 2), tall = matrix({1, 2, 3, 4, 5, 7}, 2);
  const Array l = cholesky(a);
  expect_near(matmul(l, array::transpose(l)), {4, 2, 2, 3});
  EXPECT_THROW(cholesky(matrix({1, 2, 2, 1}, 2)), LinAlgError);
  const Qr factors = qr(tall);
  expect_near(matmul(factors.q, factors.r), {1, 2, 3, 4, 5, 7});
  const Reflections reflections = qr_reflections(matrix({3, 4}, 1));
  expect_near(reflections.vectors, {-5, 0.5f});
  expect_near(reflections.factors, {1.6f});
  EXPECT_THAT(qr(tall, QrMode::complete).q.shape(), testing::ElementsAre(3, 3));
  const Svd values = svd(tall, false);
  expect_near(matmul(values.u * values.s, values.vh), {1, 2, 3, 4, 5, 7});
  EXPECT_THROW(svd(matrix({NAN, 1, 1, 1}, 2)), LinAlgError);
}

TEST_P(DecompositionTest, UnknownsAlongSeveralAxes) {
  const device::StreamScope scope(shared_stream());
  const Array a = array::reshape(matrix({2, 1, 1, 3}, 2), {2, 1, 2});
  const Array x = tensorsolve(a, matrix({3, 4}, 1));
  expect_near(x, {1, 1});
  const Array inverse = tensorinv(a);
  EXPECT_THAT(inverse.shape(), testing::ElementsAre(2, 2, 1));
  expect_near(tensordot(inverse, matrix({3, 4}, 1)), {1, 1});
  const int last[] = {0};
  expect_near(tensorsolve(array::reshape(a, {2, 2}), make({3, 4}), last), {1, 1});
  EXPECT_THROW(tensorinv(a, 0), InvalidArgument);
  EXPECT_THROW(tensorinv(array::zeros({2, 2}, Scalar::float32), 1), LinAlgError);
  EXPECT_THROW(tensorinv(array::zeros({2, 3}, Scalar::float32), 1), MatrixShapeError);
}

TEST_P(DecompositionTest, LongMatrices) {
  const device::StreamScope scope(shared_stream());
  constexpr std::int64_t n = 400;  // a library of the device's may take over
  const Array rows = array::reshape(make(count_up(n * n)), {n, n});
  const Array wave = array::sin(rows) / 20, identity = array::identity(n, Scalar::float32);
  const Array a = matmul(wave, array::transpose(wave)) + identity;
  const auto expect_equal = [](const Array& x, const Array& y) {
    EXPECT_LT(array::max(array::absolute(x - y)).item().as_double(), 1e-2);
  };
  expect_equal(matmul(a, solve(a, wave)), wave);
  expect_equal(matmul(a, inv(a)), identity);
  const Array l = cholesky(a), u = cholesky(a, true);
  expect_equal(matmul(l, array::transpose(l)), a);
  expect_equal(u, array::transpose(l));
  EXPECT_NEAR(slogdet(a).log_of_size.item().as_double(),
              2 * array::sum(array::log(array::diagonal(l))).item().as_double(), 1e-2);
  const Qr factors = qr(a);
  expect_equal(matmul(factors.q, factors.r), a);
  const Svd values = svd(a);
  expect_equal(matmul(values.u * values.s, values.vh), a);
  const Eigen eigen = eigh(a);
  expect_equal(matmul(eigen.vectors * eigen.values, array::transpose(eigen.vectors)), a);
  const Array singular = array::zeros({n, n}, Scalar::float32);
  EXPECT_THROW(solve(singular, wave), LinAlgError);
  EXPECT_THROW(cholesky(singular), LinAlgError);
  EXPECT_THROW(svd(singular / singular), LinAlgError);
}

TEST_P(DecompositionTest, EigenvaluesAndLeastSquares) {
  const device::StreamScope scope(shared_stream());
  expect_near(eigvalsh(matrix({2, 1, 1, 2}, 2)), {1, 3});
  EXPECT_EQ(eigvals(matrix({0, -1, 1, 0}, 2)).dtype(), Scalar::complex64);
  EXPECT_EQ(eig(matrix({2, 0, 0, 3}, 2)).values.dtype(), Scalar::complex64);
  const LeastSquares line = lstsq(matrix({0, 1, 1, 1, 2, 1}, 2), make({1, 3, 5}));
  expect_near(line.x, {2, 1});
  EXPECT_EQ(line.rank, 2);
}

TEST_P(DecompositionTest, Exponentials) {
  const device::StreamScope scope(shared_stream());
  const float half = std::sqrt(0.5f), angle = static_cast<float>(std::acos(-1.0)) * 0.25f;
  expect_near(expm(matrix({0, 0, 0, 0}, 2)), {1, 0, 0, 1});
  expect_near(expm(matrix({0, -angle, angle, 0}, 2)), {half, -half, half, half});
  // By each approximant, and by squares: a nilpotent matrix has two terms.
  for (const float size : {0.1f, 1.0f, 3.0f, 100.0f})
    expect_near(expm(matrix({0, size, 0, 0}, 2)), {1, size, 0, 1});
  const Array two = array::reshape(make({1, 0, 0, 0, 0, 0, 0, 1}), {2, 2, 2});
  const float e = std::exp(1.0f);
  expect_near(expm(two), {e, 0, 0, 1, 1, 0, 0, e});
  EXPECT_TRUE(std::isnan(array::dense_copy(expm(matrix({NAN, 0, 0, 1}, 2))).as<float>()[3]));
  EXPECT_EQ(expm(array::cast(two, Scalar::int32)).dtype(), Scalar::float64);
  EXPECT_THROW(expm(make({1, 2})), ShapeError);
  EXPECT_THROW(expm(array::cast(two, Scalar::float16)), DTypeError);
}

}  // namespace
}  // namespace treadle::linalg
