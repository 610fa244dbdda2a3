// SPDX-License-Identifier: MIT
#include "treadle/linalg/singular_values.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "array/each_array_device.hpp"
#include "linalg/matrices.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/linalg/decomposition.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::linalg {
namespace {

using array::MatrixNorm;

class SingularValuesTest : public OnMatrices {};
INSTANTIATE_TEST_SUITE_P(Devices, SingularValuesTest, array::each_device(),
                         array::device_test_name);

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_P(SingularValuesTest, PseudoInverses) {
  const device::StreamScope scope(shared_stream());
  const Array tall = matrix({1, 0, 0, 2, 0, 0}, 2), singular = matrix({1, 1, 1, 1}, 2);
  expect_near(svdvals(tall), {2, 1});
  expect_near(pinv(tall), {1, 0, 0, 0, 0.5f, 0});
  expect_near(pinv(tall, 0.6), {0, 0, 0, 0, 0.5f, 0});
  expect_near(pinv(singular), {0.25f, 0.25f, 0.25f, 0.25f});
  const Array both = array::reshape(make({2, 0, 0, 1, 2, 0, 0, 1}), {2, 2, 2});
  expect_near(pinv(both, make({0.1f, 0.6f})), {0.5f, 0, 0, 1, 0.5f, 0, 0, 0});
  EXPECT_THAT(pinv(array::zeros({3, 0}, Scalar::float32)).shape(), testing::ElementsAre(0, 3));
  EXPECT_THROW(pinv(make({1, 2})), MatrixShapeError);
}

TEST_P(SingularValuesTest, Ranks) {
  const device::StreamScope scope(shared_stream());
  const Array a = array::reshape(make({2, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0}), {3, 2, 2});
  const auto expect_ranks = [&](const Array& ranks, const std::vector<std::int64_t>& expected) {
    EXPECT_EQ(ranks.as<std::int64_t>(), expected);
  };
  expect_ranks(matrix_rank(a), {2, 1, 0});
  expect_ranks(matrix_rank(a, {.relative = 0.6}), {1, 1, 0});
  expect_ranks(matrix_rank(a, {.absolute = 1.5}), {1, 1, 0});
  expect_ranks(matrix_rank(a, {.absolute = make({0.5f, 2.5f, 0})}), {2, 0, 0});
  expect_ranks(matrix_rank(make({0, 3})), {1});
  expect_ranks(matrix_rank(make({0, 0})), {0});
}

TEST_P(SingularValuesTest, Norms) {
  const device::StreamScope scope(shared_stream());
  const Array a = matrix({3, 0, 0, -4}, 2);
  expect_near(matrix_norm(a, SpectralNorm::largest), {4});
  expect_near(matrix_norm(a, SpectralNorm::smallest), {3});
  expect_near(matrix_norm(a, SpectralNorm::nuclear), {7});
  expect_near(matrix_norm(a, MatrixNorm::frobenius), {5});
  const Array kept = matrix_norm(array::reshape(a, {2, 1, 2}), SpectralNorm::nuclear, {0, 2}, true);
  EXPECT_THAT(kept.shape(), testing::ElementsAre(1, 1, 1));
  expect_near(kept, {7});
  expect_near(matrix_norm(array::zeros({0, 2}, Scalar::float32), SpectralNorm::largest), {0});
  EXPECT_THROW(matrix_norm(make({1, 2}), SpectralNorm::largest), IndexError);
}

TEST_P(SingularValuesTest, ConditionNumbers) {
  const device::StreamScope scope(shared_stream());
  const Array a = array::reshape(make({4, 0, 0, 2, 0, 0, 0, 0, NAN, 0, 0, 1}), {3, 2, 2});
  const Array numbers = array::reshape(make({4, 0, 0, 2, 0, 0, 0, 0}), {2, 2, 2});
  expect_near(cond(numbers), {2, infinity});
  expect_near(cond(matrix({4, 0, 0, 2}, 2), SpectralNorm::smallest), {0.5f});
  expect_near(cond(numbers, MatrixNorm::frobenius), {2.5f, infinity});
  expect_near(cond(numbers, SpectralNorm::nuclear), {4.5f, infinity});
  const std::vector<float> found = array::dense_copy(cond(a, MatrixNorm::one)).as<float>();
  EXPECT_FLOAT_EQ(found[0], 2);
  EXPECT_EQ(found[1], infinity);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_THROW(cond(array::zeros({2, 0}, Scalar::float32)), LinAlgError);
  EXPECT_THROW(cond(make({1, 2})), MatrixShapeError);
}

}  // namespace
}  // namespace treadle::linalg
