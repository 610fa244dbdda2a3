// SPDX-License-Identifier: MIT
#include "treadle/sparse/bsr_matrix.hpp"

#include <gmock/gmock.h>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

using BsrMatrixTest = SparseTest;
INSTANTIATE_TEST_SUITE_P(Devices, BsrMatrixTest, each_device(), device_test_name);

TEST_P(BsrMatrixTest, BlocksAreDense) {
  const device::StreamScope scope(shared_stream());
  const Array data = array::reshape(make({1, 2, 3, 4, 0, 5, 6, 0}), {2, 2, 2});
  const Array indices = array::cast(make({1, 0}), Scalar::int32),
              offsets = array::cast(make({0, 1, 2}), Scalar::int64);
  const BsrMatrix a(data, indices, offsets, {4, 4});
  EXPECT_EQ(a.block(), (BlockSize{2, 2}));
  expect(a.to_csr().dense(), {0, 0, 1, 2, 0, 0, 3, 4, 0, 5, 0, 0, 6, 0, 0, 0});
  expect(a.multiply(make({1, 2, 3, 4})), {11, 25, 10, 6});
  expect(BsrMatrix::of(a, {2, 2}).data(), {1, 2, 3, 4, 0, 5, 6, 0});
}

TEST_P(BsrMatrixTest, RefusesBlocksThatDoNotFillTheMatrix) {
  const device::StreamScope scope(shared_stream());
  EXPECT_THROW(BsrMatrix::of(small(), {2, 3}), ShapeError);
  EXPECT_THROW(BsrMatrix::of(small(), {0, 1}), ShapeError);
}

}  // namespace
}  // namespace treadle::sparse
