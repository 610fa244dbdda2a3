// SPDX-License-Identifier: MIT
#include "treadle/linalg/product.hpp"

#include <gmock/gmock.h>

#include <array>

#include "array/each_array_device.hpp"
#include "library/packages.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"

namespace treadle::linalg {
namespace {

using array::device_test_name;
using array::each_device;
using testing::HasSubstr;

/// The CPU device with the host's library, and all others with generated kernels.
class LinalgProductTest : public array::OnEachArrayDevice {
 protected:
  static void SetUpTestSuite() { (void)library::blas_of_this_machine(); }
  Array matrix(std::int64_t rows, std::int64_t columns) {
    return array::reshape(make(count_up(static_cast<std::size_t>(rows * columns))),
                          {rows, columns});
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, LinalgProductTest, each_device(), device_test_name);

TEST_P(LinalgProductTest, MatricesAndVectors) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix(2, 3), b = matrix(3, 2), v = make({1, 2, 3});
  const Array product = matmul(a, b);
  EXPECT_TRUE(product.is_pending());
  expect(product, {10, 13, 28, 40});
  expect(matmul(a, v), {8, 26});
  expect(matmul(v, b), {16, 22});
  expect(matmul(v, v), {14});
  EXPECT_EQ(matmul(v, v).rank(), 0);
  expect(matvec(a, v), {8, 26});
  expect(vecmat(v, b), {16, 22});
  // Whatever lies in memory in another way.
  expect(matmul(array::transpose(b), array::transpose(a)), {10, 28, 13, 40});
  expect(matmul(array::flip(a, 1), b), {2, 5, 20, 32});
}

TEST_P(LinalgProductTest, Bfloat16IsSummedInFloat32) {
  const device::StreamScope scope(shared_stream());
  const Array a = array::cast(matrix(2, 3), bfloat16_dtype()), b = matrix(3, 2);
  const Array c = array::cast(b, bfloat16_dtype());
  EXPECT_EQ(matmul(a, c).dtype(), bfloat16_dtype());
  expect(array::cast(matmul(a, c), Scalar::float32), {10, 13, 28, 40});
  expect(matmul(a, b), {10, 13, 28, 40});
  expect(array::cast(einsum("ij,jk->ki", std::array{a, c}), Scalar::float32), {10, 28, 13, 40});
  // 512 * 1.0078125: a sum in bfloat16 would stay at 256.
  const Array ones =
      array::cast(array::full({1, 512}, 1.0078125, Scalar::float32, here()), bfloat16_dtype());
  expect(array::cast(matmul(ones, array::transpose(ones)), Scalar::float32), {520});
  // To the nearest, ties to even.
  const Array rounded =
      array::cast(make({1.00390625f, 1.01171875f, 1.0039064f, -1.0039064f}), bfloat16_dtype());
  expect(array::cast(rounded, Scalar::float32), {1, 1.015625f, 1.0078125f, -1.0078125f});
  EXPECT_THROW(a + a, DTypeError);
}

TEST_P(LinalgProductTest, EinsteinsSums) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix(2, 3), b = matrix(3, 2);
  const std::array both = {a, b};
  expect(einsum("ij,jk->ik", both), {10, 13, 28, 40});
  expect(einsum("ij,jk->ki", both), {10, 28, 13, 40});
  expect(einsum("ij,ji", both), {50});
  expect(einsum("ij->j", std::array{a}), {3, 5, 7});
  expect(einsum("...j,j...->...", both), {10, 40});
  EXPECT_THROW(einsum("ij,jk->iq", both), InvalidArgument);
  EXPECT_THROW(einsum("ij", both), InvalidArgument);
  EXPECT_THROW(einsum("ij,ij", both), ShapeError);
}

TEST_P(LinalgProductTest, BatchesBroadcast) {
  const device::StreamScope scope(shared_stream());
  const Array a = array::reshape(make(count_up(12)), {2, 1, 2, 3}), b = matrix(3, 1);
  EXPECT_THAT(matmul(a, b).shape(), testing::ElementsAre(2, 1, 2, 1));
  expect(matmul(a, b), {5, 14, 23, 32});
  const Array c = array::reshape(make(count_up(6)), {2, 3, 1});
  expect(matmul(a, c), {5, 14, 14, 50, 23, 32, 86, 122});
}

TEST_P(LinalgProductTest, NumbersOfEveryKind) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix(2, 2);
  for (const Scalar dtype : {Scalar::int8, Scalar::int64, Scalar::float16, Scalar::complex64}) {
    const Array x = array::cast(a, dtype);
    EXPECT_EQ(matmul(x, x).dtype(), DType(dtype));
    expect(array::cast(array::real(matmul(x, x)), Scalar::float32), {2, 3, 6, 11});
  }
  const Array truth = array::cast(a, Scalar::boolean);
  expect(array::cast(matmul(truth, truth), Scalar::float32), {1, 1, 1, 1});
  EXPECT_EQ(matmul(a, array::cast(a, Scalar::int64)).dtype(), Scalar::float64);
}

TEST_P(LinalgProductTest, NothingIsZero) {
  const device::StreamScope scope(shared_stream());
  const Array none = array::zeros({2, 0}, Scalar::float32);
  expect(matmul(none, array::transpose(none)), {0, 0, 0, 0});
  EXPECT_EQ(matmul(array::transpose(none), none).size(), 0);
}

TEST_P(LinalgProductTest, OthersAreMadeOfThem) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix(2, 2), cube = array::reshape(make(count_up(8)), {2, 2, 2});
  expect(matrix_power(a, 3), {6, 11, 22, 39});
  expect(matrix_power(a, 0), {1, 0, 0, 1});
  expect(multi_dot(std::array{a, a, make({1, 1})}), {5, 17});
  expect(dot(cube, a), {2, 3, 6, 11, 10, 19, 14, 27});
  expect(dot(a, 2), {0, 2, 4, 6});
  expect(dot(make({1, 2}), make({3, 4})), {11});
  expect(inner(a, a), {1, 3, 3, 13});
  expect(inner(make({1, 2}), make({3, 4})), {11});
  expect(inner(3, a), {0, 3, 6, 9});
  expect(tensordot(cube, a), {14, 38});
  EXPECT_THROW(multi_dot(std::array{a}), InvalidArgument);
}

TEST_P(LinalgProductTest, WrongShapesAreRefused) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix(2, 3);
  try {
    matmul(a, a);
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_THAT(error.message(), HasSubstr("(2, 3) and (2, 3)"));
  }
  EXPECT_THROW(matmul(a, array::full({}, 1.0, Scalar::float32)), ShapeError);
  EXPECT_THROW(tensordot(a, a, 3), ShapeError);
  EXPECT_THROW(tensordot(a, a, std::array{5}, std::array{0}), IndexError);
}

}  // namespace
}  // namespace treadle::linalg
