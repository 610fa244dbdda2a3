// SPDX-License-Identifier: MIT
// Products of matrices by generated kernels, against loops on the host.
#include "treadle/kernel/product.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "kernel/each_schedule.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

/// How the matrices of a case lie.
struct Sizes {
  std::int64_t m, n, k, matrices = 1;
  bool x_is_transposed = false, y_is_transposed = false;
};

class ProductTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }

  /// Whole numbers, whose products and sums are exact in every dtype.
  template <class T>
  void expect_product(const Sizes& s) {
    std::mt19937 random(42);
    std::vector<T> x(static_cast<std::size_t>(s.matrices * s.m * s.k));
    std::vector<T> y(static_cast<std::size_t>(s.matrices * s.k * s.n));
    for (std::vector<T>* values : {&x, &y})
      for (T& value : *values) value = static_cast<T>(static_cast<int>(random() % 7) - 3);
    std::vector<T> z(static_cast<std::size_t>(s.matrices * s.m * s.n), T(9));
    const memory::Buffer a(device_, x), b(device_, y), c(device_, z);
    const ProductOperand left{a.location(), s.x_is_transposed ? 1 : s.k,
                              s.x_is_transposed ? s.m : 1, 0, s.m * s.k};
    const ProductOperand right{b.location(), s.y_is_transposed ? 1 : s.n,
                               s.y_is_transposed ? s.k : 1, 0, s.k * s.n};
    launch_product(*stream_, {.dtype = dtype_of<T>().scalar(),
                              .m = static_cast<std::uint64_t>(s.m),
                              .n = static_cast<std::uint64_t>(s.n),
                              .k = static_cast<std::uint64_t>(s.k),
                              .x = left,
                              .y = right,
                              .z = c.location(),
                              .inner = static_cast<std::uint64_t>(s.matrices),
                              .schedule = std::get<1>(GetParam())});
    stream_->synchronize();
    if (!device_->info().traits.runs_kernels) return;
    c.copy_to(z);
    for (std::int64_t matrix = 0; matrix < s.matrices; ++matrix)
      for (std::int64_t i = 0; i < s.m; ++i)
        for (std::int64_t j = 0; j < s.n; ++j) {
          T sum(0);
          for (std::int64_t k = 0; k < s.k; ++k) {
            const auto at = [&](const ProductOperand& o, std::int64_t row, std::int64_t column) {
              return static_cast<std::size_t>(matrix * o.inner + row * o.row + column * o.column);
            };
            sum = static_cast<T>(sum + x[at(left, i, k)] * y[at(right, k, j)]);
          }
          ASSERT_EQ(z[static_cast<std::size_t>((matrix * s.m + i) * s.n + j)], sum)
              << "matrix " << matrix << ", row " << i << ", column " << j;
        }
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ProductTest, each_device_and_schedule(), schedule_test_name);

TEST_P(ProductTest, BlocksAreWholeAndCutOff) {
  expect_product<float>({.m = 30, .n = 63, .k = 70});
  expect_product<float>({.m = 5, .n = 3, .k = 33, .matrices = 3});
  expect_product<float>({.m = 1, .n = 1, .k = 1});
}

TEST_P(ProductTest, TransposedOperandsAreReadWhereTheyAre) {
  expect_product<float>({.m = 37, .n = 41, .k = 19, .x_is_transposed = true});
  expect_product<float>({.m = 37, .n = 41, .k = 19, .y_is_transposed = true});
}

TEST_P(ProductTest, IntegersWrapAroundInTheirOwnWidth) {
  expect_product<std::int8_t>({.m = 9, .n = 60, .k = 200});
  expect_product<std::int64_t>({.m = 20, .n = 20, .k = 20});
}

TEST_P(ProductTest, OfNoProductsIsZero) { expect_product<float>({.m = 3, .n = 4, .k = 0}); }

}  // namespace
}  // namespace treadle::kernel
