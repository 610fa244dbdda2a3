// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_product.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "device/each_device.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::kernel {
namespace {

class SparseProductTest : public device::OnEachDevice {
 protected:
  /// Rows of very different lengths, some empty, merged on the wide schedule.
  template <class T>
  void expect_merged(Scalar dtype, std::vector<std::int64_t> lengths) {
    std::vector<T> data, x(100), expected;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> offsets{0};
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(k % 7);
    for (const std::int64_t length : lengths) {
      T sum = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        columns.push_back(static_cast<std::int32_t>(k * 31 % 100));
        data.push_back(static_cast<T>(k % 3 + 1));
        sum += data.back() * x[static_cast<std::size_t>(columns.back())];
      }
      offsets.push_back(static_cast<std::int64_t>(data.size()));
      expected.push_back(sum);
    }
    std::vector<T> result(lengths.size(), T(9));
    const auto& on = device();
    const memory::Buffer a(on, data), c(on, columns), o(on, offsets), v(on, x), y(on, result);
    launch_sparse_product(*shared_stream(),
                          {.form = {.stored = dtype, .dtype = dtype},
                           .rows = lengths.size(),
                           .columns = 100,
                           .entries = data.size(),
                           .is_merged = true,
                           .schedule = Schedule::wide},
                          {.data = a, .columns = c, .starts = o, .x = v, .result = y});
    shared_stream()->synchronize();
    memory::pool_of(*on).trim();  // what was left of rows lay there
    if (!on->info().traits.runs_kernels) return;
    y.copy_to(result);
    EXPECT_EQ(result, expected);
  }
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

TEST_P(SparseProductTest, MergedRowsOfVeryDifferentLengths) {
  std::vector<std::int64_t> lengths(3000, 2);
  lengths[0] = 0;
  lengths[1] = 9000;
  lengths[2] = lengths[3] = 0;
  lengths[1500] = 20000;
  lengths[2998] = 4000;
  lengths[2999] = 0;
  expect_merged<float>(Scalar::float32, lengths);
  expect_merged<double>(Scalar::float64, {30000});
  expect_merged<std::int64_t>(Scalar::int64, std::vector<std::int64_t>(5000, 0));
  expect_merged<double>(Scalar::float64, {1});
}

}  // namespace
}  // namespace treadle::kernel
