// SPDX-License-Identifier: MIT
#include "treadle/sparse/coo_matrix.hpp"

#include <gmock/gmock.h>

#include "sparse/small_matrix.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

using CooMatrixTest = SparseTest;
INSTANTIATE_TEST_SUITE_P(Devices, CooMatrixTest, each_device(), device_test_name);

TEST_P(CooMatrixTest, WhatComesSeveralTimesIsAdded) {
  const device::StreamScope scope(shared_stream());
  const CooMatrix a(make({1, 2, 3}), array::cast(make({1, 0, 1}), Scalar::int32),
                    array::cast(make({1, 0, 1}), Scalar::int32), {2, 2});
  EXPECT_EQ(a.entries(), 3);
  expect(a.multiply(make({1, 10})), {2, 40});
  EXPECT_EQ(a.canonical().entries(), 2);
  expect(a.canonical().data(), {2, 4});
}

TEST_P(CooMatrixTest, RowsAreMadeAgainOnceAnArrayWasWrittenTo) {
  const device::StreamScope scope(shared_stream());
  const Array data = make({1, 2}), places = array::cast(make({0, 1}), Scalar::int32);
  const CooMatrix a(data, places, places, {2, 2});
  expect(a.multiply(make({1, 10})), {1, 20});
  data.assign(5);
  expect(a.multiply(make({1, 10})), {5, 50});
  a.to_csr().data().assign(7);  // which the matrix keeps
  expect(a.multiply(make({1, 10})), {5, 50});
}

TEST_P(CooMatrixTest, RefusesPlacesBeyondTheSize) {
  const device::StreamScope scope(shared_stream());
  const Array rows = array::cast(make({0, 2}), Scalar::int32);
  EXPECT_THROW(CooMatrix(make({1, 2}), rows, rows, {2, 3}), IndexError);
  EXPECT_THROW(CooMatrix(make({1}), rows, rows, {3, 3}), ShapeError);
}

}  // namespace
}  // namespace treadle::sparse
