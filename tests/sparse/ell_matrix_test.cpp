// SPDX-License-Identifier: MIT
#include "treadle/sparse/ell_matrix.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

using EllMatrixTest = SparseTest;
INSTANTIATE_TEST_SUITE_P(Devices, EllMatrixTest, each_device(), device_test_name);

TEST_P(EllMatrixTest, WhatFillsRowsUpIsNoEntry) {
  const device::StreamScope scope(shared_stream());
  const EllMatrix a = EllMatrix::of(small());
  EXPECT_EQ(a.depth(), 2);
  expect(array::cast(a.columns(), Scalar::float32), {0, 2, 1, -1, 0, 2});
  const float infinity = std::numeric_limits<float>::infinity();
  expect(a.multiply(make({infinity, 2, infinity})), {infinity, 6, infinity});
  const EllMatrix again(a.data(), a.columns(), {3, 3});
  expect(again.multiply(make({1, 2, 3})), {7, 6, 7});
  EXPECT_THROW(EllMatrix::of(small(), 1), InvalidArgument);
  EXPECT_THROW(EllMatrix(a.data(), a.columns(), {3, 2}), IndexError);
}

TEST_P(EllMatrixTest, LongRowsHaveARestElsewhere) {
  const device::StreamScope scope(shared_stream());
  const HybMatrix a = HybMatrix::of(small(), 1);
  EXPECT_EQ(a.usual().depth(), 1);
  EXPECT_EQ(a.rest().entries(), 2);
  expect(array::cast(a.rest_rows(), Scalar::float32), {0, 2});
  EXPECT_EQ(SellMatrix::of(small(), 2).starts().size(), 3);
  EXPECT_THROW(SellMatrix::of(small(), 0), InvalidArgument);
}

}  // namespace
}  // namespace treadle::sparse
