// SPDX-License-Identifier: MIT
#include "treadle/sparse/dia_matrix.hpp"

#include <gmock/gmock.h>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

class DiaMatrixTest : public SparseTest {
 protected:
  Array integers(std::initializer_list<double> values) {
    return array::cast(Array::from(std::vector<double>(values)), Scalar::int64);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, DiaMatrixTest, each_device(), device_test_name);

TEST_P(DiaMatrixTest, ElementsLieByColumnsAsInScipy) {
  const device::StreamScope scope(shared_stream());
  // 1 5 0 / 0 2 6 / 0 0 3
  const Array data = array::reshape(make({0, 5, 6, 1, 2, 3}), {2, 3});
  const DiaMatrix a(data, integers({1, 0}), {3, 3});
  expect(a.to_csr().dense(), {1, 5, 0, 0, 2, 6, 0, 0, 3});
  expect(a.multiply(make({1, 2, 3})), {11, 22, 9});
  expect(a.data(), {1, 2, 3, 0, 5, 6});
  EXPECT_THROW(DiaMatrix(data, integers({1, 1}), {3, 3}), InvalidArgument);
}

TEST_P(DiaMatrixTest, StencilsHaveOneNumberOnADiagonal) {
  const device::StreamScope scope(shared_stream());
  const Array data = array::reshape(make({-1, -1, -1, 2, 2, 2}), {2, 3});
  const DiaMatrix full(data, integers({1, 0}), {3, 3});
  const StencilMatrix a = StencilMatrix::of(full);
  EXPECT_FALSE(a.bits().has_value());
  EXPECT_EQ(a.offsets(), (std::vector<std::int64_t>{0, 1}));
  expect(a.multiply(make({1, 2, 4})), {0, 0, 8});
  expect(a.to_csr().dense(), {2, -1, 0, 0, 2, -1, 0, 0, 2});
  EXPECT_FALSE(StencilMatrix::fits(small()));
  EXPECT_THROW(StencilMatrix::of(small()), InvalidArgument);
  // 1 0 1 / 0 1 0 / 0 0 0: a gap on the main diagonal.
  const StencilMatrix gaps = StencilMatrix::of(
      CsrMatrix(make({1, 1, 1}), integers({0, 2, 1}), integers({0, 2, 3, 3}), {3, 3}));
  EXPECT_TRUE(gaps.bits().has_value());
  expect(gaps.multiply(make({1, 2, 4})), {5, 2, 0});
  expect(gaps.to_csr().dense(), {1, 0, 1, 0, 1, 0, 0, 0, 0});
}

}  // namespace
}  // namespace treadle::sparse
