// SPDX-License-Identifier: MIT
#include "treadle/sparse/csr_matrix.hpp"

#include <gmock/gmock.h>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

INSTANTIATE_TEST_SUITE_P(Devices, SparseTest, each_device(), device_test_name);

TEST_P(SparseTest, ACopyHasArraysOfItsOwn) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small(), b = a.copied();
  a.data().assign(0);
  a.indices().assign(0);
  expect(b.multiply(make({1, 10, 100})), {104, 30, 201});
}

TEST_P(SparseTest, ProductsArePending) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  const Array y = a.multiply(make({1, 2, 3}));
  EXPECT_TRUE(y.is_pending());
  expect(y, {7, 6, 7});
  expect(a.multiply(array::reshape(make({1, 0, 2, 0, 3, 1}), {3, 2})), {7, 1, 6, 0, 7, 2});
}

TEST_P(SparseTest, Parts) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  EXPECT_EQ(a.entries(), 5);
  expect(a.diagonal(), {4, 3, 2});
  expect(a.sum(0), {5, 3, 3});
  expect(a.sum(1), {5, 3, 3});
  expect(a.dense(), {4, 0, 1, 0, 3, 0, 1, 0, 2});
  expect(a.plus(a.transposed()).dense(), {8, 0, 2, 0, 6, 0, 2, 0, 4});
  expect(a.rows_between(1, 3).dense(), {0, 3, 0, 1, 0, 2});
  expect(CsrMatrix::from_dense(a.dense()).data(), {4, 1, 3, 1, 2});
}

TEST_P(SparseTest, ProductsOfTwoMatrices) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  expect(a.multiply(a).dense(), {17, 0, 6, 0, 9, 0, 6, 0, 5});
  expect(a.times(a).dense(), {16, 0, 1, 0, 9, 0, 1, 0, 4});
  expect(a.times(make({1, 2, 3})).dense(), {4, 0, 3, 0, 6, 0, 1, 0, 6});
  EXPECT_EQ(a.plus(a.with_data(-a.data())).entries(), 0);
  EXPECT_THROW(a.multiply(a.rows_between(0, 2)), ShapeError);
}

TEST_P(SparseTest, RowsByNumbersAndDiagonals) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  const Array rows = array::cast(make({2, 0, 2}), Scalar::int64);
  expect(a.rows_at(rows).dense(), {1, 0, 2, 4, 0, 1, 1, 0, 2});
  EXPECT_THROW(a.rows_at(rows + 1), IndexError);
  expect(a.diagonal(2), {1});
  expect(a.diagonal(-1), {0, 0});
  expect(a.with_diagonal(make({9, 8}), 1).dense(), {4, 9, 1, 0, 3, 8, 1, 0, 2});
  EXPECT_THROW(a.with_diagonal(make({9, 8})), ShapeError);
}

TEST_P(SparseTest, OrderOfColumns) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a(make({1, 2, 0, 3}), array::cast(make({2, 0, 1, 1}), Scalar::int32),
                    array::cast(make({0, 2, 4}), Scalar::int64), {2, 3});
  EXPECT_FALSE(a.has_sorted_indices());
  EXPECT_TRUE(a.sorted().has_sorted_indices());
  EXPECT_FALSE(a.sorted().is_canonical());
  EXPECT_EQ(a.canonical().entries(), 3);
  EXPECT_EQ(a.without_zeros().entries(), 3);
  expect(a.canonical().data(), {2, 1, 3});
}

TEST_P(SparseTest, RefusesWhatIsNoMatrix) {
  const device::StreamScope scope(shared_stream());
  const Array one = make({1, 2}), columns = array::cast(make({0, 1}), Scalar::int64);
  const auto offsets = [&](std::initializer_list<double> values) {
    return array::cast(array::Array::from(std::vector<double>(values), {}), Scalar::int64);
  };
  EXPECT_THROW(CsrMatrix(one, columns, offsets({0, 1, 2}), {2, 1}), IndexError);
  EXPECT_THROW(CsrMatrix(one, columns, offsets({0, 2, 1}), {2, 2}), InvalidArgument);
  EXPECT_THROW(CsrMatrix(one, columns, offsets({0, 2}), {2, 2}), ShapeError);
  EXPECT_THROW(small().multiply(make({1, 2})), ShapeError);
}

}  // namespace
}  // namespace treadle::sparse
