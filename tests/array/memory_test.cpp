// SPDX-License-Identifier: MIT
// Memory of results: where it comes from, and what is said when there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/null.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::array {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t mebi = std::int64_t{1} << 18;  // float32 elements of a MiB

class MemoryTest : public testing::Test {
 protected:
  explicit MemoryTest(std::uint64_t mebibytes = 16)
      : device_(device::make_null_device({.memory_bytes = mebibytes << 20})) {}
  ~MemoryTest() override { set_launch_site({}); }
  Array megabytes(std::int64_t count) {
    return empty({count * mebi}, Scalar::float32, {.stream = stream_});
  }
  memory::Statistics pool() const { return memory::pool_of(*device_).statistics(); }
  static std::string refusal_of(const Array& array) {
    try {
      evaluate({array});
    } catch (const OutOfMemory& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_ = device_->make_stream();
  device::StreamScope scope_{stream_};
};

/// Of which a quarter is enough for what is freed, so that the pool holds it.
class RoomyMemoryTest : public MemoryTest {
 protected:
  RoomyMemoryTest() : MemoryTest(64) {}
};

TEST_F(MemoryTest, WhatDoesNotFitNamesItsExpressionAndTheOwnersOfTheRest) {
  set_launch_site({"solve.cpp", 3});
  const Array x = megabytes(4), y = megabytes(4);
  set_launch_site({"solve.cpp", 4});
  const Array kept = megabytes(5);
  set_launch_site({"solve.cpp", 7});
  const Array product = 5 * x;
  set_launch_site({"solve.cpp", 8});
  const Array z = product + sqrt(y);
  const std::string text = refusal_of(z);
  EXPECT_THAT(text, HasSubstr("for the result of fused_multiply_sqrt_add_f32 -> float32 "
                              "(1048576,) at solve.cpp:7, solve.cpp:8"));
  EXPECT_THAT(text, HasSubstr("4.00 MiB (4194304 bytes)"));
  EXPECT_THAT(text, HasSubstr("its 3 live allocations take 13.00 MiB, the most of it: 8.00 MiB in "
                              "2 allocations made at solve.cpp:3, 5.00 MiB made at solve.cpp:4"));
}

TEST_F(MemoryTest, ReductionsAreNamedAsTheirKernels) {
  const Array x = megabytes(15);
  set_launch_site({"solve.cpp", 9});
  const Array sums = sum(reshape(x, {15 * mebi / 2, 2}) * 3, {.axes = 1});
  EXPECT_THAT(refusal_of(sums), HasSubstr("multiply_sum_f32 -> float32 (1966080,) at solve.cpp:9"));
}

TEST_F(MemoryTest, WhatDidNotFitIsPendingAndFitsLater) {
  Array x = megabytes(6), other = megabytes(6);
  const Array z = x + 1;
  EXPECT_THAT(refusal_of(z), HasSubstr("out of memory"));
  EXPECT_TRUE(z.is_pending());
  EXPECT_THAT(refusal_of(z), HasSubstr("out of memory"));
  other = {};
  evaluate({z});
  EXPECT_FALSE(z.is_pending());
}

TEST_F(MemoryTest, LongExpressionsNameSomeOfTheirLines) {
  const Array x = megabytes(12);
  Array z = x;
  for (int line = 1; line <= 20; ++line) {
    set_launch_site({"solve.cpp", line});
    z = z * 2;
  }
  const std::string text = refusal_of(z);
  EXPECT_THAT(text, HasSubstr("solve.cpp:8 and 12 more lines"));
  EXPECT_THAT(text, Not(HasSubstr("solve.cpp:9")));
}

// ---- donation: results in the memory of operands that end with them

TEST_F(MemoryTest, AChainOfNewArraysWorksInTheMemoryOfTheFirst) {
  Array x = megabytes(12);
  for (int i = 0; i < 10; ++i) {
    x = x * 0.5f + 1.f;
    evaluate({x});
  }
  EXPECT_EQ(pool().managed_bytes, std::size_t{12} << 20);
  x = {};
  EXPECT_EQ(pool().active_blocks, 0u);
}

TEST_F(RoomyMemoryTest, OperandsOfAllNodesThatEndAreTaken) {
  Array x = megabytes(4), y = megabytes(4);
  Array z = sqrt(x + 1) * (y - x);
  x = y = {};
  evaluate({z});
  EXPECT_EQ(pool().managed_bytes, std::size_t{8} << 20);
  EXPECT_EQ(pool().active_bytes, std::size_t{4} << 20);
}

TEST_F(MemoryTest, MemoryThatAnybodyElseReachesIsNotTaken) {
  const auto expect_new_memory = [&](auto make) {
    memory::pool_of(*device_).free_held();
    const auto [result, kept] = make();
    evaluate({result});
    EXPECT_EQ(pool().managed_bytes >> 20, 4u);
  };
  expect_new_memory([&] {
    const Array x = megabytes(2);
    return std::pair(x + 1, x);
  });
  expect_new_memory([&] {
    const Array x = megabytes(2);
    return std::pair(x + 1, x.at({Index{.stop = 1}}));
  });
  expect_new_memory([&] {
    const Array x = megabytes(2);
    return std::pair(x + 1, x.buffer());
  });
  expect_new_memory([&] {
    const Array x = megabytes(2), other = x * 2;
    return std::pair(x + 1, other);
  });
  expect_new_memory([&] {
    const Array x = megabytes(2), middle = x * 2;
    return std::pair(middle + 1, middle);
  });
  expect_new_memory([&] {
    const Fusing fusing;
    const Array x = megabytes(2);
    (void)x.location();
    return std::pair(x + 1, 0);
  });
}

TEST_F(RoomyMemoryTest, OnlyMemoryOfTheResultsElementsIsTaken) {
  const auto allocated = [&](auto make) {
    memory::pool_of(*device_).free_held();
    evaluate({make()});
    return pool().managed_bytes >> 20;
  };
  EXPECT_EQ(allocated([&] { return megabytes(2) + 1; }), 2u);
  EXPECT_EQ(allocated([&] { return cast(megabytes(2), Scalar::int32); }), 4u);
  EXPECT_EQ(allocated([&] { return megabytes(2).at({Index{.step = -1}}) + 1; }), 4u);
  EXPECT_EQ(allocated([&] { return megabytes(4).at({Index{.stop = 2 * mebi}}) + 1; }), 6u);
  EXPECT_EQ(allocated([&] { return sum(reshape(megabytes(4), {4, mebi}), {.axes = 0}); }), 5u);
  EXPECT_EQ(allocated([&] {
              const Array x = megabytes(2), i = arange(0, 2 * mebi, 1, Scalar::int64);
              return take(x, i);
            }),
            4u);
}

TEST_F(MemoryTest, WhatFitsInPlaceOnlyIsComputed) {
  Array x = megabytes(12);
  x = sqrt(x) + 1;
  EXPECT_EQ(refusal_of(x), "nothing was refused");
}

TEST_F(MemoryTest, ExplainShowsTheKernelThatWorksInPlace) {
  Array x = megabytes(2);
  x = sqrt(x) + 1;
  const std::string planned = explain(x);
  evaluate({x});
  const std::string kernel = planned.substr(planned.rfind("// fused_sqrt_add"));
  EXPECT_THAT(kernel, HasSubstr("z[i]"));
  EXPECT_THAT(kernel, Not(HasSubstr("x[i]")));
  EXPECT_THAT(explain(x), HasSubstr(kernel));
}

TEST_F(MemoryTest, DonatedMemoryKnowsItsReaders) {
  Array x = megabytes(2);
  const Array y = sqrt(x + 1);
  x = {};
  const Array reader = y * 2;
  evaluate({y});
  Array changed = y;
  changed += 1;
  EXPECT_FALSE(reader.is_pending());
}

// ---- pressure: pending arrays that keep more than they take

TEST_F(MemoryTest, WhatFreesMemoryIsComputedBeforeThereIsNone) {
  Array x = megabytes(12);
  const Array total = sum(x * x);
  x = {};
  EXPECT_EQ(pool().active_bytes, std::size_t{12} << 20);
  const Array y = megabytes(12);
  EXPECT_FALSE(total.is_pending());
  EXPECT_THAT(explain(total), HasSubstr("when memory was short"));
}

TEST_F(MemoryTest, AllThatKeepTheSameMemoryAreComputed) {
  Array x = megabytes(12);
  const Array total = sum(x), largest = max(x - 1), other = min(x + 1);
  x = {};
  const Array y = megabytes(12);
  EXPECT_FALSE(total.is_pending() || other.is_pending() || largest.is_pending());
}

TEST_F(MemoryTest, WhatFreesNothingStaysPending) {
  const Array x = megabytes(6);
  const Array sum_of_kept = sum(x), kept = megabytes(4) * 2;
  EXPECT_THROW(megabytes(12), OutOfMemory);
  EXPECT_TRUE(sum_of_kept.is_pending());
  EXPECT_TRUE(kept.is_pending());
}

TEST_F(MemoryTest, WhatIsComputedToFreeMemoryMayFindNone) {
  Array x = megabytes(8);
  Array row = sum(reshape(x, {4, 2 * mebi}), {.axes = 0}), y = megabytes(8);
  x = {};
  const Array z = y + 1;  // all is taken: half of it is kept by `row`, which needs 2 MiB itself
  EXPECT_THAT(refusal_of(z), HasSubstr("out of memory"));
  y = {};
  EXPECT_EQ(refusal_of(z), "nothing was refused");
}

TEST_F(MemoryTest, WhatIsKeptOnTheWayIsLeftOutWithoutMemoryForIt) {
  const Array x = megabytes(5), part = x * 2, first = part + 1, second = part - 1;
  evaluate({first});
  evaluate({second});
  EXPECT_FALSE(second.is_pending());
  EXPECT_TRUE(part.is_pending());
}

/// Memory enough for the trigger that does not wait for a refusal.
class GrowthTest : public MemoryTest {
 protected:
  GrowthTest() : MemoryTest(1024) {}
};

TEST_F(GrowthTest, PendingArraysNeverKeepMuchMoreThanEagerOnesWould) {
  std::vector<Array> sums;
  for (int i = 0; i < 40; ++i) {
    Array x = megabytes(16);
    sums.push_back(sum(x * 2));
  }
  EXPECT_LE(pool().managed_bytes >> 20, 64u + 3 * 16);
  EXPECT_FALSE(sums.front().is_pending());
  EXPECT_TRUE(sums.back().is_pending());
}

TEST_F(GrowthTest, LittleMemoryLetsArraysWait) {
  std::vector<Array> sums;
  for (int i = 0; i < 10; ++i) sums.push_back(sum(megabytes(4)));
  const Array large = megabytes(512);
  for (const Array& one : sums) EXPECT_TRUE(one.is_pending());
}

TEST_F(GrowthTest, ThreadsRelieveEachOther) {
  std::atomic<int> refused = 0;
  const auto work = [&] {
    const device::StreamScope scope(stream_);
    std::vector<Array> sums;
    for (int i = 0; i < 60; ++i) {
      try {
        sums.push_back(sum(megabytes(32) + static_cast<float>(i % 3)));
      } catch (const OutOfMemory&) {
        ++refused;
      }
    }
    for (const Array& one : sums) evaluate({one});
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(pool().active_bytes, 0u);
}

class DonationTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, DonationTest, each_device(), device_test_name);

TEST_P(DonationTest, InPlaceGivesWhatNewMemoryGives) {
  const device::StreamScope scope(shared_stream());
  const std::vector<float> start = count_up((1 << 19) + 3);
  std::vector<float> expected = start;
  Array x = make(start);
  for (int i = 0; i < 3; ++i) {
    x = x * 0.5f + (x - 1.f);
    evaluate({x});
    for (float& value : expected) value = value * 0.5f + (value - 1.f);
  }
  expect(x, expected);
}

TEST_P(DonationTest, MemoryOfAnotherStreamIsTakenInItsOrder) {
  std::vector<float> expected = count_up(1 << 19);
  Array x = make(expected);
  for (float& value : expected) value = value + 1 + 1;
  const device::StreamScope scope(shared_stream());
  x = x + 1.f;
  evaluate({x});
  const std::shared_ptr<device::Stream> other = device()->make_stream();
  const device::StreamScope inner(other);
  x = x + 1.f;
  evaluate({x});
  expect(x, expected);
}

}  // namespace
}  // namespace treadle::array
