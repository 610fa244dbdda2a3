// SPDX-License-Identifier: MIT
#include "treadle/sparse/sparse_matrix.hpp"

#include <gmock/gmock.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "sparse/small_matrix.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
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

TEST_P(SparseMatrixTest, OperationsOnAProductAreItsKernel) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3}), b = make({1, 2, 3}), d = make({2, 0, -1});
  for (const auto& a : each_format()) {
    SCOPED_TRACE(std::string(a->format()));
    const bool is_opencl = device()->info().language == Language::opencl_c;
    if (is_opencl && a->format() != "csr" && a->format() != "ell") continue;  // PoCL takes long
    const Array residual = b - a->multiply(x);
    // One for all rows and numbers beside those for each row; two results of one product.
    const Array y = a->multiply(x), scaled = y * d, both = 2 * y + sum(b) * d;
    array::evaluate({scaled, both});
    expect(residual, {-6, -4, -4});
    expect(scaled, {14, 0, -7});
    expect(both, {26, 12, 8});
    const Array is_more = greater(a->multiply(x), 6);
    array::evaluate({is_more});  // bytes are stored by a second kernel
    expect(array::cast(is_more, Scalar::float32), {1, 0, 1});
    expect(array::flip(b) - a->multiply(x), {-4, -4, -6});
    if (a->format() == "hyb") continue;  // its sum is made first
    const std::string told = array::explain(residual);
    EXPECT_NE(told.find("subtract: reads"), std::string::npos) << told;
  }
}

TEST_P(SparseMatrixTest, OperationsOnProductsOfOtherKinds) {
  const device::StreamScope scope(shared_stream());
  const CsrMatrix a = small();
  const Array x = make({1, 2, 3}), b = make({1, 2, 3});
  // The wide schedule takes an array more; without a GPU it is what shows that all arrays fit.
  for (const std::optional<Schedule> schedule :
       {std::optional<Schedule>(), std::optional(Schedule::wide)}) {
    const CsrMatrix rows = a.by_length(schedule);
    EXPECT_TRUE(!schedule || rows.is_by_length());
    expect(rows.multiply(x), {7, 6, 7});
    expect(b - rows.multiply(x), {-6, -4, -4});
  }
  const Array wide = b + a.multiply(array::cast(x, Scalar::int64));
  expect(array::cast(wide, Scalar::float32), {8, 8, 10});
  const Array turned = array::cast(x, Scalar::complex64) * std::complex<float>(0, 1);
  expect(array::imaginary_part(a.multiply(turned) + b), {7, 6, 7});
  expect(a.multiply(array::reshape(make({1, 0, 2, 0, 3, 1}), {3, 2})) + 1, {8, 2, 7, 1, 8, 3});
  Array z = make({1, 2, 3});
  z -= a.multiply(z);  // reads all of z before it changes
  expect(z, {-6, -4, -4});
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
