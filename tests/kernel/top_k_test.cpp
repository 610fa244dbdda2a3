// SPDX-License-Identifier: MIT
// The largest elements of rows in both schedules; tests/array/ordering_test.cpp has those of
// arrays.
#include "treadle/kernel/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "each_schedule.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class TopKTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }

  struct Case {
    std::size_t rows, length, k;
    unsigned distinct;
    bool is_largest = true;
  };
  /// Numbers of which many are equal, beside the host's stable sort.
  void check(const Case& with) {
    std::vector<float> values(with.rows * with.length);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i * 7919 % with.distinct) - 5;
    const memory::Buffer in(device_, values), into(device_, with.rows * with.k * 4);
    const memory::Buffer places(device_, with.rows * with.k * 8);
    launch_top_k(*stream_,
                 {.dtype = Scalar::float32,
                  .rows = with.rows,
                  .length = with.length,
                  .k = with.k,
                  .is_largest = with.is_largest,
                  .schedule = std::get<1>(GetParam())},
                 {in, into, places});
    stream_->synchronize();
    std::vector<float> found(with.rows * with.k);
    std::vector<std::int64_t> at(found.size()), order(with.length);
    into.copy_to(found);
    places.copy_to(at);
    if (!device_->info().traits.runs_kernels) return;
    for (std::size_t row = 0; row < with.rows; ++row) {
      const float* const own = &values[row * with.length];
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
        return with.is_largest ? own[a] > own[b] : own[a] < own[b];
      });
      for (std::size_t i = 0; i < with.k; ++i) {
        ASSERT_EQ(at[row * with.k + i], order[i]) << row << " " << i;
        ASSERT_EQ(found[row * with.k + i], own[order[i]]);
      }
    }
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, TopKTest, each_device_and_schedule(), schedule_test_name);

TEST_P(TopKTest, AreThoseOfAStableSort) {
  check({.rows = 3, .length = 100, .k = 100, .distinct = 17});
  check({.rows = 2, .length = 5000, .k = 32, .distinct = 5003});
  check({.rows = 2, .length = 5000, .k = 5, .distinct = 2, .is_largest = false});
  check({.rows = 1, .length = 70'000, .k = 9, .distinct = 1});  // in pieces, all equal
  // More than half of what is kept at least, and as many as may be.
  check({.rows = 2, .length = 3000, .k = 200, .distinct = 3001});
  check({.rows = 2, .length = 3000, .k = 1000, .distinct = 3001});
}

TEST_P(TopKTest, RefusesMoreThanThereIsRoomFor) {
  const memory::Buffer x(device_, 64);
  EXPECT_FALSE(has_top_k(*device_, {Scalar::float32, 1, 10'000, 5000}));
  EXPECT_THROW(launch_top_k(*stream_, {Scalar::float32, 1, 4, 5}, {x, x, x}), InvalidArgument);
  EXPECT_THROW(launch_top_k(*stream_, {Scalar::complex64, 1, 4, 2}, {x, x, x}), DTypeError);
}

}  // namespace
}  // namespace treadle::kernel
