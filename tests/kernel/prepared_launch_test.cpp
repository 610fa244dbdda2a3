// SPDX-License-Identifier: MIT
// Launches that are queued again: what was worked out for one has to be right for the next.
#include "treadle/kernel/prepared_launch.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "treadle/kernel/elementwise.hpp"
#include "treadle/kernel/reduction.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

using codegen::Expression;
using codegen::ExpressionBuilder;

/// factor * x
Expression scaled_leaf() {
  ExpressionBuilder build;
  build.output(build.step(Op::multiply, Scalar::int32,
                          {build.scalar(Scalar::int32), build.leaf(Scalar::int32)}));
  return build.build();
}

class PreparedLaunchTest : public testing::TestWithParam<std::tuple<std::string, Schedule>> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, PreparedLaunchTest, each_device_and_schedule(),
                         schedule_test_name);

TEST_P(PreparedLaunchTest, AReductionIsQueuedAgainForOtherArraysAndScalars) {
  // Split between groups: it has tickets, which each launch leaves as it found them.
  constexpr std::int64_t n = 1 << 18;
  std::vector<std::int32_t> ones(2 * n, 1);
  std::fill(ones.begin() + n, ones.end(), 2);
  const memory::Buffer in(device_, ones), out(device_, 64);
  const auto sum = codegen::reduction_of(Reduction::sum, scaled_leaf());
  const Extents extents{n}, one{4}, none;
  const std::vector<std::size_t> axes{0};
  const auto arrays_at = [&](std::size_t k) {
    return std::array{ElementwiseArray{in.location() + 4 * n * k, one},
                      ElementwiseArray{out.location() + 16 * k, none}};
  };
  const ElementBytes three[] = {scalar_bytes(std::int32_t{3})}, five[] = {scalar_bytes(5)};
  const auto first = arrays_at(0), second = arrays_at(1);
  const auto prepared = prepare_reduction(*device_, {sum, extents, axes, first, three, schedule()});
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(prepared->note.bytes_read, 4u * n);
  EXPECT_EQ(prepared->note.bytes_written, 8u);
  prepared->launch(*stream_, first, three);
  prepared->launch(*stream_, second, five);
  stream_->synchronize();
  std::vector<std::int64_t> results(3);
  out.copy_to(results);
  if (!runs_kernels()) return;
  EXPECT_EQ(results[0], 3 * n);
  EXPECT_EQ(results[2], 10 * n);
}

TEST_P(PreparedLaunchTest, WhatDoesNotFitIsRefusedAlsoWhereItsLikeIsKnown) {
  const memory::Buffer memory(device_, 4000);
  const Expression scaled = scaled_leaf();
  const Extents extents{10}, one{4}, none;
  const ElementwiseArray z{memory.location(), one}, x{memory.location() + 2000, one},
      rankless{memory.location(), none};
  const auto launch = [&](std::vector<ElementwiseArray> arrays, std::size_t scalars) {
    const std::vector<ElementBytes> values(scalars, scalar_bytes(std::int32_t{1}));
    launch_elementwise(*stream_, {scaled, extents, arrays, values, schedule()});
  };
  launch({z, x}, 1);
  device::expect_error<InvalidArgument>([&] { launch({z}, 1); }, {"1 arrays", "has 2"});
  device::expect_error<InvalidArgument>([&] { launch({z, x}, 0); }, {"0 scalars"});
  device::expect_error<InvalidArgument>([&] { launch({z, x}, 2); }, {"2 scalars"});
  device::expect_error<InvalidArgument>([&] { launch({z, rankless}, 1); }, {"0 strides"});
  launch({z, x}, 1);
}

TEST_P(PreparedLaunchTest, RandomLaunchesOfOneExpressionGiveTheirOwnResults) {
  // Few different ones, so that most are known, and neighbours in all that a key holds.
  const Expression scaled = scaled_leaf();
  const auto sum = codegen::reduction_of(Reduction::sum, scaled);
  std::vector<std::int32_t> values(64);
  std::iota(values.begin(), values.end(), 1);
  const memory::Buffer in(device_, values);
  std::mt19937 random(7);
  const auto draw = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
  };
  for (int i = 0; i < 60; ++i) {
    const std::int64_t rows = 1 + draw(2), columns = 2 + draw(2);
    const Extents extents{rows, columns}, back{-4, 4 * (1 + draw(2))}, out_row{4 * columns, 4};
    const std::int64_t first = 1 + draw(5);
    const std::int32_t factor = 1 + static_cast<std::int32_t>(draw(3));
    const ElementBytes scalars[] = {scalar_bytes(factor)};
    const memory::Buffer out(device_, 64);
    const std::uint64_t at = 8 * static_cast<std::uint64_t>(draw(2));
    const ElementwiseArray x{in.location() + 4 * static_cast<std::uint64_t>(first), back};
    const auto element = [&](std::int64_t row, std::int64_t column) {
      return factor * values[static_cast<std::size_t>(first - row + back[1] / 4 * column)];
    };
    if (draw(2) == 0) {
      const ElementwiseArray arrays[] = {{out.location() + at, out_row}, x};
      const KernelNote note =
          launch_elementwise(*stream_, {scaled, extents, arrays, scalars, schedule()});
      EXPECT_EQ(*note.name, "multiply_i32");
      EXPECT_EQ(note.bytes_written, static_cast<std::uint64_t>(4 * rows * columns));
      stream_->synchronize();
      std::vector<std::int32_t> results(16);
      out.copy_to(results);
      if (!runs_kernels()) continue;
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
          ASSERT_EQ(results[at / 4 + static_cast<std::size_t>(row * columns + column)],
                    element(row, column))
              << "launch " << i;
    } else {
      const std::vector<std::size_t> axes{static_cast<std::size_t>(draw(2))};
      const Extents eight{8};
      const ElementwiseArray arrays[] = {x, {out.location() + at, eight}};
      launch_reduction(*stream_, {sum, extents, axes, arrays, scalars, schedule()});
      stream_->synchronize();
      std::vector<std::int64_t> results(8);
      out.copy_to(results);
      if (!runs_kernels()) continue;
      const std::int64_t kept = axes[0] == 0 ? columns : rows;
      for (std::int64_t k = 0; k < kept; ++k) {
        std::int64_t expected = 0;
        for (std::int64_t m = 0; m < (axes[0] == 0 ? rows : columns); ++m)
          expected += axes[0] == 0 ? element(m, k) : element(k, m);
        ASSERT_EQ(results[at / 8 + static_cast<std::size_t>(k)], expected) << "launch " << i;
      }
    }
  }
}

TEST_P(PreparedLaunchTest, ThreadsShareWhatIsKnown) {
  const Expression scaled = scaled_leaf();
  constexpr std::int64_t n = 100;
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      const auto stream = device_->make_stream();
      const memory::Buffer in(device_, std::vector<std::int32_t>(n, static_cast<int>(t) + 1)),
          out(device_, n * 4);
      const Extents one{4};
      for (std::int32_t factor = 1; factor <= 40; ++factor) {
        const Extents extents{n - factor % 3};
        const ElementwiseArray arrays[] = {{out.location(), one}, {in.location(), one}};
        const ElementBytes scalars[] = {scalar_bytes(factor)};
        launch_elementwise(*stream, {scaled, extents, arrays, scalars, schedule()});
        stream->synchronize();
        std::vector<std::int32_t> results(n);
        out.copy_to(results);
        wrong[t] += results[0] != factor * (static_cast<int>(t) + 1);
      }
    });
  for (auto& thread : threads) thread.join();
  if (runs_kernels()) {
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
  }
}

}  // namespace
}  // namespace treadle::kernel
