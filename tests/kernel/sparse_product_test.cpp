// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_product.hpp"

#include <gtest/gtest.h>

#include <array>
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
  /// Rows of very different lengths, some empty, which the wide schedule takes by their length; the
  /// longest one is cut into pieces.
  template <class T>
  void expect_by_length(Scalar dtype, const std::vector<std::int64_t>& lengths) {
    std::vector<T> data, x(100), expected, result(lengths.size(), T(9));
    std::vector<std::int32_t> columns, order;
    std::vector<std::int64_t> offsets{0};
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<T>(static_cast<float>(k % 7));
    for (const std::int64_t length : lengths) {
      T sum = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        columns.push_back(static_cast<std::int32_t>(k * 31 % 100));
        data.push_back(static_cast<T>(static_cast<float>(k % 3 + 1)));
        sum += data.back() * x[static_cast<std::size_t>(columns.back())];
      }
      offsets.push_back(static_cast<std::int64_t>(data.size()));
      expected.push_back(sum);
    }
    // Which class a row is in decides nothing but speed: limits so short that all have rows.
    constexpr std::array<std::int64_t, codegen::row_classes> shorter{20000, 4000, 100, 2, 0};
    RowClasses classes{.counts = {}, .pieces = 3};
    for (std::size_t c = 0; c < shorter.size(); ++c)
      for (std::size_t row = 0; row < lengths.size(); ++row) {
        if (lengths[row] < shorter[c] || (c > 0 && lengths[row] >= shorter[c - 1])) continue;
        order.push_back(static_cast<std::int32_t>(row));
        ++classes.counts[c];
      }
    const auto& on = device();
    const memory::Buffer a(on, data), c(on, columns), o(on, offsets), v(on, x), y(on, result),
        rows(on, order);
    launch_sparse_product(
        *shared_stream(),
        {.form = {.stored = dtype, .dtype = dtype},
         .rows = lengths.size(),
         .columns = 100,
         .entries = data.size(),
         .classes = classes,
         .schedule = Schedule::wide},
        {.data = a, .columns = c, .starts = o, .x = v, .result = y, .order = rows});
    shared_stream()->synchronize();
    memory::pool_of(*on).trim();  // sums of pieces lay there
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

TEST_P(SparseProductTest, RowsOfVeryDifferentLengths) {
  std::vector<std::int64_t> lengths(3000, 2);
  lengths[0] = 0;
  lengths[1] = 9000;
  lengths[2] = lengths[3] = 0;
  lengths[7] = 300;
  lengths[1500] = 20000;
  lengths[2998] = 4000;
  lengths[2999] = 0;
  expect_by_length<float>(Scalar::float32, lengths);
  expect_by_length<std::int64_t>(Scalar::int64, std::vector<std::int64_t>(5000, 0));
  expect_by_length<std::complex<float>>(Scalar::complex64, {1, 200});
}

}  // namespace
}  // namespace treadle::kernel
