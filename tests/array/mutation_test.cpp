// SPDX-License-Identifier: MIT
// Whatever changes memory, or tells the time, computes the expressions that wait for it before.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/null.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::array {
namespace {

class MutationTest : public OnEachArrayDevice {
 protected:
  /// How many kernels `work` launches on a null device.
  std::size_t launches(const std::function<void()>& work) {
    device::clear_null_calls(*device());
    work();
    std::size_t count = 0;
    for (const std::string& call : device::null_calls(*device()))
      count += call.starts_with("launch ") ? 1 : 0;
    return count;
  }
  /// An expression on x + 1 keeps the old elements when `change` changes x, and still waits before.
  void expect_old(const std::function<void(Array&)>& change) {
    const device::StreamScope scope(shared_stream());
    Array x = make({1, 2, 3, 4});
    const Array view = x.at({Index{.start = 2}});
    const Array sum = x + 1, part = view * 2;
    ASSERT_TRUE(sum.is_pending() && part.is_pending());
    change(x);
    EXPECT_FALSE(sum.is_pending() || part.is_pending());
    expect(sum, {2, 3, 4, 5});
    expect(part, {6, 8});
  }
  /// What is written by a reduction is not read by it: `all` are rows of 8 elements of x, but for
  /// the last of each, and `out` begins one element later.
  void expect_sums(const Array& all, const Array& out) {
    sum(all, {.axes = 0, .out = &out});
    const std::int64_t rows = all.shape()[0];
    std::vector<float> expected;
    for (std::int64_t i = 0; i < 7; ++i)
      expected.push_back(static_cast<float>(4 * rows * (rows - 1) + i * rows));
    expect(out, expected);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, MutationTest, each_device(), device_test_name);

TEST_P(MutationTest, OperatorsAndAssignment) {
  expect_old([](Array& x) { x += 1; });
  expect_old([](Array& x) { x.assign(0); });
  expect_old([](Array& x) { x.assign_where(x > 2, 0); });
  expect_old([](Array& x) { x.set(std::array<float, 4>{}.data()); });
  expect_old([](Array& x) { apply_into(x, Op::negative, std::array<Operand, 1>{x}); });
  expect_old([](Array& x) { x.at({Index{.start = 1}}).assign(x.at({Index{.stop = 3}})); });
}

TEST_P(MutationTest, FunctionsOfBuffers) {
  const std::vector<float> zeros(4);
  expect_old([&](Array& x) { x.buffer().copy_from(zeros); });
  expect_old([&](Array& x) { x.buffer().copy_from(zeros, stream()); });
  expect_old([&](Array& x) { x.buffer().slice(8, 8).copy_from(std::vector<float>(2)); });
  expect_old([](Array& x) { x.buffer().free(); });
}

TEST_P(MutationTest, CopiesAndFillsOfStreams) {
  const std::array<std::byte, 4> zero = {};
  const std::vector<float> zeros(4);  // alive until the copy, which may run later
  const memory::Buffer other(device(), zeros);
  expect_old([&](Array& x) { stream().fill(x.buffer(), zero, 4); });
  expect_old([&](Array& x) { stream().copy(x.buffer(), other, 16); });
  expect_old([&](Array& x) { stream().copy_in(x.buffer(), zeros.data(), 16); });
  expect_old([&](Array& x) { stream().copy_from_peer(x.buffer(), *device(), other, 16); });
  // A change by another stream, whose order is the program's to see to.
  const auto second = device()->make_stream();
  expect_old([&](Array& x) { second->fill(x.buffer(), zero, 4); });
  second->synchronize();
}

TEST_P(MutationTest, LaunchesWithTheArrayItself) {
  const device::Kernel scale = kernel("scale");
  expect_old([&](Array& x) { stream().launch(scale, shape_for(4), x, 2.f, 4); });
  expect_old([&](Array& x) { stream().launch(scale, shape_for(4), x.buffer(), 2.f, 4); });
  expect_old([&](Array& x) { stream().launch(scale, shape_for(4), x.location(), 2.f, 4); });
}

TEST_P(MutationTest, GeneratedKernels) {
  expect_old([&](Array& x) {
    RandomState state;
    kernel::fill_random(stream(), {x.buffer(), 4}, RandomDraw::uniform(Scalar::float32), state);
  });
}

TEST_P(MutationTest, AnArrayPassedToALaunchIsStillDeferredOn) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4});
  stream().launch(kernel("scale"), shape_for(4), x + 1, 2.f, 4);  // computed for it
  stream().launch(kernel("scale"), shape_for(4), x, 2.f, 4);
  stream().launch(kernel("scale"), shape_for(4), x.buffer(), 2.f, 4);
  const Array sum = x + 1;
  EXPECT_TRUE(sum.is_pending());
  expect(sum, {5, 9, 13, 17});
  (void)x.location();
  EXPECT_FALSE((x + 1).is_pending());
}

TEST_P(MutationTest, LaunchesOnOtherStreamsAreOrdered) {
  const auto second = device()->make_stream();
  Array x;
  {
    const device::StreamScope scope(shared_stream());
    x = make(std::vector<float>(1 << 16, 1.f));
    for (int i = 0; i < 20; ++i) x += 1;
  }
  second->launch(kernel("scale"), shape_for(1 << 16), x, 2.f, 1 << 16);
  EXPECT_EQ(x.stream(), second);
  const device::StreamScope scope(shared_stream());
  expect(x + 0, std::vector<float>(1 << 16, 42.f));
}

TEST_P(MutationTest, ParametersThatAreConstLetReadersWait) {
  if (info().runtime != "null") GTEST_SKIP() << "the run-time tells no types";
  const device::StreamScope scope(shared_stream());
  const std::vector<std::int32_t> values = {1, 2, 3, 4};
  const Array x = Array::from(values, here()), y = Array::from(values, here());
  const Array reader = y + 1;
  stream().launch(kernel("add_to"), shape_for(4), x, y, 4);
  EXPECT_TRUE(reader.is_pending());
  stream().launch(kernel("add_to"), shape_for(4), y, x, 4);
  EXPECT_FALSE(reader.is_pending());
}

TEST_P(MutationTest, MemoryThatWasAdoptedTwice) {
  const device::StreamScope scope(shared_stream());
  constexpr std::size_t count = 4096;
  // Devices keep the workspace of wide reductions.
  sum(reshape(make(count_up(count)), {count / 8, 8}), {.axes = 0}).as<float>();
  memory::pool_of(*device()).free_held();
  note_live_memory();
  const Array x = make(count_up(count));
  std::vector<memory::Buffer> memories = {x.buffer()};
  if (info().language == Language::cuda_c && runs_kernels()) {
    // A later address of the same allocation.
    const device::Location place = x.location();
    memories.push_back(
        memory::Buffer::adopt(device(), {place.handle + place.offset + 4, 0}, count * 4 - 4, {}));
  }
  const std::int64_t extents[] = {count - 1}, strides[] = {4};
  for (const memory::Buffer& memory : memories) {
    const std::int64_t start = memory.size_bytes() == count * 4 ? 4 : 0;
    const Array low = Array::view_of(x.buffer(), Layout(extents, strides), Scalar::float32, here());
    Array high = Array::view_of(memory, Layout(extents, strides, start), Scalar::float32, here());
    EXPECT_TRUE(may_share_memory(low, high));
    x.set(count_up(count).data());
    high += low;
    std::vector<float> expected = count_up(count - 1);
    for (float& value : expected) value = 2 * value + 1;
    expect(high, expected);
    x.set(count_up(count).data());
    const std::int64_t rows[] = {count / 8, 7}, row_strides[] = {32, 4}, first[] = {7};
    expect_sums(low.viewed(Layout(rows, row_strides), Scalar::float32),
                high.viewed(Layout(first, strides, start), Scalar::float32));
    // The promise of this scope is other code's.
    x.set(count_up(count).data());
    const Fusing fusing;
    const Array reader = low + 1;
    high.assign(0);
    expect(reader.at({Index{.stop = 3}}), {1, 2, 3});
  }
}

TEST_P(MutationTest, MarksOfAStreamComputeWhatWaitsForIt) {
  const auto second = device()->make_stream();
  const auto event = device()->make_event();
  const std::function<void()> marks[] = {[&] { stream().record(*event); },
                                         [&] { stream().wait(*event); },
                                         [&] { stream().synchronize(); }};
  const Array x = make({1, 2});
  for (const auto& mark : marks) {
    Array here, there;
    {
      const device::StreamScope scope(shared_stream());
      here = x + 1;
    }
    {
      const device::StreamScope scope(second);
      there = x + 2;
    }
    mark();
    EXPECT_FALSE(here.is_pending());
    EXPECT_TRUE(there.is_pending());
  }
}

TEST_P(MutationTest, ReadingOneArrayLeavesOthersPending) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2}), sum = x + 1, product = x * 2;
  expect(sum, {2, 3});
  EXPECT_TRUE(product.is_pending());
  const memory::Buffer fresh(device(), std::vector<float>(2));
  (void)make({3, 4});
  EXPECT_TRUE(product.is_pending());
}

TEST_P(MutationTest, SiblingsOverTheSameArraysAreOneKernel) {
  if (info().runtime != "null") GTEST_SKIP() << "launches are counted on the null device";
  const device::StreamScope scope(shared_stream());
  Array x = make(count_up(100));
  const Array y = make(count_up(100));
  const Array a = x + y, b = x * y, c = x - 1, unrelated = y + 1, large = x + zeros({50, 100});
  EXPECT_EQ(launches([&] { x += 1; }), 3u);  // a, b and c; large; the change
  EXPECT_TRUE(unrelated.is_pending());
  const Array far = make({1}) + 1;
  EXPECT_EQ(launches([&] { stream().synchronize(); }), 2u);
}

TEST_P(MutationTest, SettingOneArrayLeavesOthersPending) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2}), y = make({3, 4}), sum = x + 1;
  y.set(std::array<float, 2>{5, 6}.data());
  EXPECT_TRUE(sum.is_pending());
  expect(sum + y, {7, 9});
}

TEST_P(MutationTest, OneKernelIsNotGivenMoreNumbersThanItTakes) {
  const device::StreamScope scope(shared_stream());
  Array x = make({0, 1}), mask = x > 0;
  // Each step has two numbers and a cast.
  for (int i = 0; i < 100; ++i) x = where(x, i % 2, i % 2 == 0 ? 3 : 0);
  expect(cast(x, Scalar::float32), {0, 1});
  for (int i = 0; i < 60; ++i) mask = where(mask, i % 2 == 0, i % 2 != 0);
  Array y = make({1, 2});
  Array value = y;
  for (int i = 0; i < 60; ++i) value = value + i;
  y.assign_where(mask, value);
  expect(y, {1, 1772});
}

TEST_P(MutationTest, OneKernelIsNotGivenMoreArraysThanItTakes) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2});
  std::vector<Array> sums;
  for (int i = 0; i < 8; ++i) {
    Array sum = x;
    for (int k = 0; k < 20; ++k) sum = sum + make({1, 1});
    sums.push_back(sum);
  }
  evaluate(sums);
  for (const Array& sum : sums) expect(sum, {21, 22});
}

}  // namespace
}  // namespace treadle::array
