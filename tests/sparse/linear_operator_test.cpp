// SPDX-License-Identifier: MIT
#include "treadle/sparse/linear_operator.hpp"

#include <gtest/gtest.h>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class LinearOperatorTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, LinearOperatorTest, each_device(), device_test_name);

TEST_P(LinearOperatorTest, IsMadeOfMatricesAndFunctions) {
  const device::StreamScope scope(shared_stream());
  const LinearOperator of_matrix = small();
  EXPECT_EQ(of_matrix.size(), (MatrixSize{3, 3}));
  EXPECT_EQ(of_matrix.dtype(), Scalar::float32);
  expect(of_matrix.apply(make({1, 2, 3})), {7, 6, 7});
  expect(of_matrix.adjoint().apply(make({1, 0, 0})), {4, 0, 1});
  expect(LinearOperator::dense(small().dense()).apply(make({1, 2, 3})), {7, 6, 7});
  EXPECT_EQ(of_matrix.in_dtype(Scalar::float64)
                .apply(array::cast(make({1, 2, 3}), Scalar::float64))
                .dtype(),
            Scalar::float64);
  const LinearOperator twice = [](const Array& x) { return 2 * x; };
  EXPECT_FALSE(twice.size());
  EXPECT_FALSE(twice.has_adjoint());
  expect(twice.apply(make({1, 2})), {2, 4});
  expect(LinearOperator::identity(2).adjoint().apply(make({1, 2})), {1, 2});
}

TEST_P(LinearOperatorTest, IsAddedMultipliedAndScaled) {
  const device::StreamScope scope(shared_stream());
  const LinearOperator a = small();
  const Array x = make({1, 2, 3});
  expect(a.plus(LinearOperator::identity(3)).apply(x), {8, 8, 10});
  expect(a.times(a).apply(x), {35, 18, 21});
  expect(a.scaled(2).apply(x), {14, 12, 14});
  expect(a.scaled(2).transposed().apply(make({1, 0, 0})), {8, 0, 2});
  EXPECT_THROW(a.plus(LinearOperator::identity(2)), ShapeError);
  EXPECT_THROW(a.times(LinearOperator::identity(2)), ShapeError);
}

TEST_P(LinearOperatorTest, RefusesWhatDoesNotFit) {
  const device::StreamScope scope(shared_stream());
  const LinearOperator of_matrix = small();
  EXPECT_THROW(of_matrix.apply(make({1, 2})), ShapeError);
  EXPECT_THROW(LinearOperator().apply(make({1})), InvalidState);
  const LinearOperator cut = [](const Array& x) { return x.at({Index{.stop = 1}}); };
  EXPECT_THROW(cut.apply(make({1, 2})), ShapeError);
  EXPECT_THROW(cut.adjoint(), NotSupported);
  EXPECT_THROW(LinearOperator::dense(make({1})), ShapeError);
  EXPECT_THROW(LinearOperator(nullptr, MatrixSize{1, 1}), InvalidArgument);
}

TEST_P(LinearOperatorTest, KnowsWhatItWasMadeOf) {
  const device::StreamScope scope(shared_stream());
  const LinearOperator factors = LinearOperator::diagonal(make({2, 3, 4}));
  ASSERT_TRUE(factors.row_factors());
  EXPECT_EQ(factors.apply(make({1, 2, 3})).as<float>(), (std::vector<float>{2, 6, 12}));
  const Array columns = array::reshape(make({1, 0, 0, 1, 1, 1}), {3, 2});
  EXPECT_EQ(factors.adjoint().apply(columns).as<float>(), (std::vector<float>{2, 0, 0, 3, 4, 4}));
  EXPECT_EQ(factors.in_dtype(Scalar::float64).dtype(), Scalar::float64);
  EXPECT_THROW(LinearOperator::diagonal(columns), ShapeError);
  const LinearOperator matrix = small();
  ASSERT_TRUE(matrix.matrix());
  EXPECT_EQ(matrix.matrix()->format(), "csr");
  EXPECT_FALSE(matrix.scaled(2).matrix());
  EXPECT_FALSE(matrix.row_factors());
  const std::optional<ProductParts> parts = matrix.matrix()->product_parts(Scalar::float64);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->product.rows, 3u);
  EXPECT_EQ(parts->product.form.stored, Scalar::float32);
  EXPECT_EQ(parts->product.form.dtype, Scalar::float64);
}

}  // namespace
}  // namespace treadle::sparse
