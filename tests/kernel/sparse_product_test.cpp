// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_product.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "device/each_device.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class SparseProductTest : public device::OnEachDevice {
 protected:
  /// Row r has r entries, in the columns 0 to r - 1, all of them `value`.
  template <class T, class Column>
  void expect_product(Scalar dtype, Scalar column_dtype, T value) {
    constexpr std::int64_t rows = 70;
    std::vector<T> data, x(rows, T(2)), result(rows, T(9)), expected;
    std::vector<Column> columns;
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t k = 0; k < row; ++k) {
        data.push_back(value);
        columns.push_back(static_cast<Column>(k));
      }
      offsets.push_back(static_cast<std::int64_t>(data.size()));
      expected.push_back(value * T(2) * T(static_cast<float>(row)));
    }
    const auto& on = device();
    const memory::Buffer a(on, data), c(on, columns), o(on, offsets), v(on, x), y(on, result);
    launch_sparse_product(*shared_stream(),
                          {.form = {.stored = dtype, .column_dtype = column_dtype, .dtype = dtype},
                           .rows = rows,
                           .columns = rows,
                           .entries = data.size()},
                          {.data = a, .columns = c, .starts = o, .x = v, .result = y});
    shared_stream()->synchronize();
    if (!on->info().traits.runs_kernels) return;
    y.copy_to(result);
    EXPECT_EQ(result, expected);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, SparseProductTest, device::each_device(),
                         device::device_test_name);

TEST_P(SparseProductTest, RowsOfAnyLength) {
  expect_product<float, std::int32_t>(Scalar::float32, Scalar::int32, 3);
  expect_product<std::complex<float>, std::int64_t>(Scalar::complex64, Scalar::int64, {1, -2});
}

}  // namespace
}  // namespace treadle::kernel
