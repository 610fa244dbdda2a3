// SPDX-License-Identifier: MIT
#include "treadle/kernel/sparse_tables.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "device/each_device.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::kernel {
namespace {

class SparseTablesTest : public device::OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, SparseTablesTest, device::each_device(),
                         device::device_test_name);

// 1 2 0 / 0 0 3, with the first row's columns out of order.
const std::vector<float> data{2, 1, 3};
const std::vector<std::int32_t> columns{1, 0, 2};
const std::vector<std::int64_t> starts{0, 2, 3};
constexpr codegen::SparseTableForm form{.stored = Scalar::float32, .column_dtype = Scalar::int32};

TEST_P(SparseTablesTest, TransposesAndMultiplies) {
  const auto& on = device();
  if (!has_sparse_tables(*on)) GTEST_SKIP() << "for processors";
  device::Stream& stream = *shared_stream();
  const memory::Buffer a(on, data), c(on, columns), o(on, starts);
  std::vector<float> turned(3), square(3);
  std::vector<std::int32_t> rows(3), places(3);
  std::vector<std::int64_t> offsets(4), ends(3);
  const memory::Buffer d(on, turned), r(on, rows), s(on, offsets), v(on, square), p(on, places),
      e(on, ends);
  const SparseArrays matrix{.data = a, .columns = c, .starts = o},
      transposed{.data = d, .columns = r, .starts = s};
  launch_sparse_transposition(stream, {.form = form, .rows = 2, .columns = 3}, matrix, transposed);
  const SparseTables product{.form = form, .rows = 2, .columns = 2};
  launch_sparse_lengths(stream, product, matrix, transposed, e);
  launch_sparse_sums(stream, product, matrix, transposed, {.data = v, .columns = p, .starts = e});
  stream.synchronize();
  memory::pool_of(*on).trim();  // tables lay there
  if (!on->info().traits.runs_kernels) return;
  d.copy_to(turned), r.copy_to(rows), s.copy_to(offsets);
  EXPECT_EQ(turned, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(rows, (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 1, 2, 3}));
  e.copy_to(ends);
  EXPECT_EQ(ends, (std::vector<std::int64_t>{0, 1, 2}));
  v.copy_to(square);
  EXPECT_EQ(square[0], 5);
  EXPECT_EQ(square[1], 9);
}

}  // namespace
}  // namespace treadle::kernel
