// SPDX-License-Identifier: MIT
#include "treadle/sparse/sparse_matrix.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "sparse/small_matrix.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/sparse/bsr_matrix.hpp"
#include "treadle/sparse/coo_matrix.hpp"
#include "treadle/sparse/dia_matrix.hpp"
#include "treadle/sparse/ell_matrix.hpp"

namespace treadle::sparse {
namespace {

class SparseMatrixTest : public SparseTest {
 protected:
  /// The small matrix in each format that takes any.
  std::vector<std::unique_ptr<SparseMatrix>> each_format() {
    std::vector<std::unique_ptr<SparseMatrix>> all;
    const CsrMatrix a = small();
    all.push_back(std::make_unique<CsrMatrix>(a));
    all.push_back(std::make_unique<CooMatrix>(CooMatrix::of(a)));
    all.push_back(std::make_unique<EllMatrix>(EllMatrix::of(a)));
    all.push_back(std::make_unique<SellMatrix>(SellMatrix::of(a, 2)));
    all.push_back(std::make_unique<HybMatrix>(HybMatrix::of(a, 1)));
    all.push_back(std::make_unique<DiaMatrix>(DiaMatrix::of(a)));
    all.push_back(std::make_unique<BsrMatrix>(BsrMatrix::of(a, {1, 3})));
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, SparseMatrixTest, each_device(), device_test_name);

TEST_P(SparseMatrixTest, EveryFormatHasTheSameProductsAndRows) {
  const device::StreamScope scope(shared_stream());
  for (const auto& a : each_format()) {
    SCOPED_TRACE(std::string(a->format()));
    EXPECT_EQ(a->size(), (MatrixSize{3, 3}));
    EXPECT_EQ(a->dtype(), DType(Scalar::float32));
    EXPECT_EQ(a->entries(), a->format() == "bsr" ? 9 : 5);
    expect(a->multiply(make({1, 2, 3})), {7, 6, 7});
    expect(a->multiply(array::reshape(make({1, 0, 2, 0, 3, 1}), {3, 2})), {7, 1, 6, 0, 7, 2});
    expect(a->to_csr().dense(), {4, 0, 1, 0, 3, 0, 1, 0, 2});
    EXPECT_GT(a->size_bytes(), 0);
  }
}

TEST_P(SparseMatrixTest, RefusesOtherLengthsInEveryFormat) {
  const device::StreamScope scope(shared_stream());
  for (const auto& a : each_format()) {
    SCOPED_TRACE(std::string(a->format()));
    EXPECT_THROW(a->multiply(make({1, 2})), ShapeError);
  }
}

}  // namespace
}  // namespace treadle::sparse
