// SPDX-License-Identifier: MIT
#include "treadle/sparse/matrix_functions.hpp"

#include <gmock/gmock.h>

#include "sparse/small_matrix.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class MatrixFunctionsTest : public SparseTest {};
INSTANTIATE_TEST_SUITE_P(Devices, MatrixFunctionsTest, each_device(), device_test_name);

// 4 0 1
// 0 3 0
// 1 0 2
TEST_P(MatrixFunctionsTest, PowersNormsAndBandwidths) {
  using array::MatrixNorm;
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  expect(matrix_power(a, 0).dense(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect(matrix_power(a, 1).dense(), {4, 0, 1, 0, 3, 0, 1, 0, 2});
  expect(matrix_power(a, 3).dense(), {74, 0, 29, 0, 27, 0, 29, 0, 16});
  expect(matrix_norm(a), {5.5677643f});
  expect(matrix_norm(a, MatrixNorm::one), {5});
  expect(matrix_norm(a, MatrixNorm::minus_infinity), {3});
  if (!device()->info().traits.runs_kernels) return;
  EXPECT_EQ(bandwidths(a), (Bandwidths{2, 2}));
  EXPECT_EQ(bandwidths(a.rows_between(0, 1)), (Bandwidths{0, 2}));
  EXPECT_EQ(bandwidths(a.rows_between(0, 0)), (Bandwidths{0, 0}));
}

TEST_P(MatrixFunctionsTest, PowersOfWhatIsNoSquare) {
  const device::StreamScope scope(shared_stream());
  EXPECT_THROW(matrix_power(small(), -1), InvalidArgument);
  EXPECT_THROW(matrix_power(small().rows_between(0, 2), 2), ShapeError);
}

}  // namespace
}  // namespace treadle::sparse
