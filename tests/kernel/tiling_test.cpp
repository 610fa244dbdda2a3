// SPDX-License-Identifier: MIT
// Kernels of every family with other numbers in their Tiling give the results that they give with
// those of the device.
//
// An hour of it: TREADLE_RANDOM_CASES=300 draws as many tilings; others: TREADLE_RANDOM_SEED=7.
#include "treadle/kernel/tiling.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include "treadle/base/error.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/radix_sort_kernel.hpp"
#include "treadle/kernel/random.hpp"
#include "treadle/kernel/reduction.hpp"
#include "treadle/kernel/reduction_kernel.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/sort.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

using codegen::ExpressionBuilder;
using codegen::Tiling;
using codegen::TilingNumber;
using Bytes = std::vector<std::byte>;

unsigned setting(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}
const unsigned cases = setting("TREADLE_RANDOM_CASES", 0);
const unsigned seed = setting("TREADLE_RANDOM_SEED", 101);

class TilingTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
    std::vector<std::int32_t> numbers(count);
    std::mt19937 random(5);
    for (std::int32_t& number : numbers) number = static_cast<std::int32_t>(random() % 2001) - 1000;
    numbers_ = memory::Buffer(device_, numbers);
    std::vector<float> floats(numbers.begin(), numbers.end());
    floats_ = memory::Buffer(device_, floats);
  }
  void TearDown() override {
    set_tiling(*device_, default_tiling(device_->info().limits, schedule()));
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  /// Whether the compiler takes milliseconds for each text.
  bool is_quick() const {
    return schedule() == Schedule::narrow && device_->info().language == Language::cuda_c;
  }
  const Tiling& tiling() const { return tiling_of(*device_, schedule()); }

  /// What all families make of the same numbers; floats are such that no sum is rounded.
  std::vector<Bytes> results() {
    std::vector<Bytes> all;
    for (const Strides& strides : layouts) all.push_back(elementwise(strides));
    for (const Strides& strides : layouts) {
      all.push_back(folded(Reduction::sum, Scalar::float32, strides));
      all.push_back(folded(Reduction::argmin, Scalar::int32, strides));
    }
    all.push_back(of_user());
    all.push_back(scanned());
    all.push_back(sorted_by_digits());
    all.push_back(sorted_in_place());
    all.push_back(drawn());
    return all;
  }
  /// Whether nothing has changed; otherwise says what.
  void expect_same(const std::vector<Bytes>& expected, const std::string& with) {
    if (!device_->info().traits.runs_kernels) return;
    const std::vector<Bytes> got = results();
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(got[i] == expected[i]) << "result " << i << " with " << with;
  }

  /// Another number that may be there.
  static std::uint64_t drawn_number(const TilingNumber& number, std::mt19937& random) {
    const double share = std::uniform_real_distribution<double>(0, 1)(random);
    const auto value = static_cast<std::uint64_t>(
        static_cast<double>(number.least) *
        std::pow(static_cast<double>(number.most) / static_cast<double>(number.least), share));
    return number.is_power_of_two ? std::bit_floor(value) : value;
  }
  /// Sets the numbers if the device has room for them.
  bool is_set(const Tiling& tiling) const {
    try {
      set_tiling(*device_, tiling);
    } catch (const InvalidArgument&) {
      return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t rows = 150, columns = 340, count = rows * columns;
  using Strides = std::array<std::int64_t, 2>;
  /// In order, transposed, and with gaps.
  static constexpr Strides layouts[] = {{columns, 1}, {1, rows}, {300, 3}};

  Bytes read(const memory::Buffer& buffer) const {
    stream_->synchronize();
    Bytes bytes(buffer.size_bytes());
    buffer.copy_to(bytes);
    return bytes;
  }
  memory::Buffer zeros(std::size_t size_bytes) const {
    return {device_, std::vector<std::byte>(size_bytes)};
  }
  /// The extents of a view of the numbers with these strides.
  static Extents extents_of(const Strides& strides) {
    return strides[1] == 3 ? Extents{130, 70} : Extents{rows, columns};
  }

  Bytes elementwise(const Strides& strides) {
    ExpressionBuilder build;
    const auto x = build.leaf(Scalar::int32), y = build.leaf(Scalar::int32);
    build.output(
        build.step(Op::add, Scalar::int32, {build.step(Op::multiply, Scalar::int32, {x, x}), y}));
    const Extents extents = extents_of(strides), order = in_bytes(c_order(extents), 4),
                  own = in_bytes({strides[0], strides[1]}, 4);
    const memory::Buffer out = zeros(count * 4);
    const ElementwiseArray arrays[] = {
        {out.location(), order}, {numbers_.location(), order}, {numbers_.location(), own}};
    const codegen::Expression expression = build.build();
    launch_elementwise(*stream_, {expression, extents, arrays, {}, schedule()});
    return read(out);
  }
  Bytes folded(Reduction reduction, Scalar dtype, const Strides& strides) {
    ExpressionBuilder build;
    build.output(build.leaf(dtype));
    const auto expression = codegen::reduction_of(reduction, build.build());
    const Extents extents = extents_of(strides), own = in_bytes({strides[0], strides[1]}, 4);
    const std::size_t result = expression.folded_dtype(0) == Scalar::int64 ? 8 : 4;
    const memory::Buffer out = zeros(3 * count / 100 * 8);
    std::uint64_t first = 0;
    const std::vector<std::size_t> folded_axes[] = {{0}, {1}, {0, 1}};
    for (const std::vector<std::size_t>& axes : folded_axes) {
      const Extents kept =
          axes.size() == 2 ? Extents{} : Extents{static_cast<std::int64_t>(result)};
      const ElementwiseArray arrays[] = {
          {(dtype == Scalar::int32 ? numbers_ : floats_).location(), own},
          {out.location() + first, kept}};
      launch_reduction(*stream_, {expression, extents, axes, arrays, {}, schedule()});
      first += static_cast<std::uint64_t>(count / 100) * 8;
    }
    return read(out);
  }
  Bytes of_user() {
    const memory::Buffer out = zeros(count * 4);
    ElementwiseKernel twice(device_, "const int *x, int *z", "z[i] = 2 * x[i]",
                            {.schedule = schedule()});
    twice.launch(*stream_, count - 1, numbers_, out);
    ReductionKernel sum(
        device_, Scalar::float32,
        {.neutral = "0", .reduce = "a + b", .map = "x[i]", .arguments = "const float *x"},
        {.schedule = schedule()});
    sum.launch(*stream_, count, out, floats_);
    return read(out);
  }
  Bytes scanned() {
    const memory::Buffer out = zeros(count * 4);
    ScanKernel sum(device_, Scalar::int32,
                   {.arguments = "const int *x, int *y",
                    .input = "x[i]",
                    .scan = "across_seg_boundary ? b : a + b",
                    .output = "y[i] = prev_item",
                    .neutral = "0",
                    .segment_start = "x[i] > 990"},
                   {.schedule = schedule()});
    sum.launch(*stream_, count, numbers_, out);
    return read(out);
  }
  Bytes sorted_by_digits() {
    const memory::Buffer out = zeros(count * 4);
    RadixSortKernel sort(device_,
                         {.arguments = "const int *x", .key = "x[i] + 1000", .sorted = {"x"}},
                         {.schedule = schedule()});
    const UserArgument given[] = {numbers_}, sorted[] = {out};
    sort.launch(*stream_, count, {given, sorted, 11});
    return read(out);
  }
  Bytes sorted_in_place() {
    const memory::Buffer out(device_, read(numbers_));
    sort(*stream_, {{out.location(), Scalar::int32}, {}, 2, 8192, 3, schedule()});
    return read(out);
  }
  Bytes drawn() {
    const memory::Buffer out = zeros(count * 4);
    RandomState state{.seed = 42};
    fill_random(*stream_, {out.location(), count - 3, schedule()},
                RandomDraw::uniform(Scalar::float32), state);
    return read(out);
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
  memory::Buffer numbers_, floats_;
};
INSTANTIATE_TEST_SUITE_P(Devices, TilingTest, each_device_and_schedule(), schedule_test_name);

TEST_P(TilingTest, EachNumberMayBeAnotherOne) {
  // Other compilers take a minute for this; what follows turns all numbers at once.
  if (cases == 0 && !is_quick()) GTEST_SKIP() << "TREADLE_RANDOM_CASES=1 runs it";
  const Tiling own = tiling();
  const std::vector<Bytes> expected = results();
  std::mt19937 random(seed);
  for (const TilingNumber& number : codegen::tiling_numbers()) {
    const std::uint64_t before = number.get(own);
    if (before < number.least) continue;
    Tiling other = own;
    for (int tries = 0; tries < 50 && (number.get(other) == before || !is_set(other)); ++tries)
      number.set(other, drawn_number(number, random));
    EXPECT_NE(number.get(tiling()), before) << number.name << " has no other number";
    expect_same(expected, std::string(number.name) + " = " + std::to_string(number.get(other)) +
                              " in place of " + std::to_string(before));
    ASSERT_TRUE(is_set(own));
  }
}

TEST_P(TilingTest, AllNumbersMayBeOtherOnes) {
  if (cases == 0 && !is_quick() && std::get<0>(GetParam()) != "cpu")
    GTEST_SKIP() << "TREADLE_RANDOM_CASES=1 runs it";
  const Tiling own = tiling();
  const std::vector<Bytes> expected = results();
  for (unsigned k = 0; k < std::max(cases, 1u); ++k) {
    std::mt19937 random(seed + k);
    Tiling other = own;
    do {
      for (const TilingNumber& number : codegen::tiling_numbers())
        if (number.get(own) >= number.least) number.set(other, drawn_number(number, random));
    } while (!is_set(other));
    expect_same(expected, "TREADLE_RANDOM_CASES=1 TREADLE_RANDOM_SEED=" + std::to_string(seed + k));
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(TilingTest, WhatMayNotBeIsRefusedByName) {
  Tiling other = tiling();
  other.intervals_per_unit = 0;
  try {
    set_tiling(*device::find_device(std::get<0>(GetParam())), other);
    FAIL() << "it was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("intervals_per_unit = 0"), std::string::npos)
        << error.what();
  }
  other = tiling();
  other.group_size = schedule() == Schedule::wide ? 96 : 2;
  EXPECT_FALSE(is_set(other)) << "no power of two, or no loop";
}

TEST(DefaultTiling, FitsTheDevice) {
  device::DeviceLimits small;
  small.max_group_items = 128;
  small.local_memory_bytes = 16 << 10;
  const Tiling tiling = default_tiling(small, Schedule::wide);
  codegen::require_valid(tiling);
  EXPECT_EQ(tiling.group_size, 128u);
  EXPECT_LE(codegen::local_bytes_of(tiling), small.local_memory_bytes);
  EXPECT_EQ(default_tiling({}, Schedule::wide), codegen::tiling_of(Schedule::wide));
}

}  // namespace
}  // namespace treadle::kernel
