// SPDX-License-Identifier: MIT
// Products of matrices by generated kernels, against loops on the host.
#include "treadle/kernel/product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
    // For GPUs; PoCL 3.1 computes the same text rightly, 5.0 writes zeros where x or y is shared.
    if (device_->info().runtime.find("PoCL 5") != std::string::npos &&
        std::get<1>(GetParam()) == Schedule::wide)
      GTEST_SKIP() << device_->info().runtime << " miscompiles the wide schedule";
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

TEST_P(ProductTest, AnEpilogueIsComputedBeforeItIsStored) {
  // results: max(x @ y + bias, scalar), with columns first and a gap; and the product as int32.
  constexpr std::int64_t m = 37, n = 21, k = 40, matrices = 2, gap = 50;
  codegen::ExpressionBuilder builder;
  const codegen::Value product = builder.leaf(Scalar::float32),
                       bias = builder.leaf(Scalar::float32);
  const codegen::Value sum = builder.step(Op::add, Scalar::float32, {product, bias});
  builder.output(
      builder.step(Op::maximum, Scalar::float32, {sum, builder.scalar(Scalar::float32)}));
  builder.output(builder.cast(product, Scalar::int32));
  const codegen::Expression expression = builder.build();

  std::vector<float> x(matrices * m * k), y(k * n), added(n);
  std::mt19937 random(3);
  for (std::vector<float>* values : {&x, &y, &added})
    for (float& value : *values) value = static_cast<float>(static_cast<int>(random() % 7) - 3);
  std::vector<float> activated(static_cast<std::size_t>(matrices * n * gap), 9);
  std::vector<std::int32_t> whole(static_cast<std::size_t>(matrices * m * n), 9);
  const memory::Buffer a(device_, x), b(device_, y), c(device_, added);
  const memory::Buffer first(device_, activated), second(device_, whole);
  const ProductOperand arrays[] = {{first.location(), 1, gap, 0, n * gap},
                                   {second.location(), n, 1, 0, m * n},
                                   {c.location(), 0, 1}};
  const float least = 2;
  const ElementBytes scalars[] = {Number(least).as(Scalar::float32)};
  const ProductEpilogue epilogue{expression, arrays, scalars};
  const Product task{.dtype = Scalar::float32,
                     .m = m,
                     .n = n,
                     .k = k,
                     .x = {a.location(), k, 1, 0, m * k},
                     .y = {b.location(), n, 1},
                     .z = {},
                     .inner = matrices,
                     .schedule = std::get<1>(GetParam()),
                     .epilogue = &epilogue};
  const KernelNote note = launch_product(*stream_, task);
  stream_->synchronize();
  EXPECT_EQ(note.name->substr(0, 32), "product_add_maximum_cast_float32");
  EXPECT_EQ(note.bytes_written, matrices * m * n * 8u);
  EXPECT_EQ(described_product(*device_, task).name, note.name);
  if (!device_->info().traits.runs_kernels) return;
  first.copy_to(activated);
  second.copy_to(whole);
  for (std::int64_t matrix = 0; matrix < matrices; ++matrix)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        float expected = 0;
        for (std::int64_t l = 0; l < k; ++l)
          expected += x[static_cast<std::size_t>((matrix * m + i) * k + l)] *
                      y[static_cast<std::size_t>(l * n + j)];
        ASSERT_EQ(whole[static_cast<std::size_t>((matrix * m + i) * n + j)],
                  static_cast<std::int32_t>(expected));
        ASSERT_EQ(activated[static_cast<std::size_t>((matrix * n + j) * gap + i)],
                  std::max(expected + added[static_cast<std::size_t>(j)], least));
      }
  EXPECT_EQ(activated[m], 9);  // gaps stay
}

TEST_P(ProductTest, OfNoProductsIsZero) { expect_product<float>({.m = 3, .n = 4, .k = 0}); }

}  // namespace
}  // namespace treadle::kernel
