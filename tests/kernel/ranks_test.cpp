// SPDX-License-Identifier: MIT
// Elements at places of the order; tests/array/order_statistics_test.cpp has medians of them.
#include "treadle/kernel/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "each_schedule.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class RanksTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  template <class T>
  void check(std::vector<T> values) {
    const auto n = static_cast<std::int64_t>(values.size());
    const std::vector<std::int64_t> places{0, n / 2, n / 2, n - 1, n / 3};
    const memory::Buffer elements(device_, values), at(device_, places);
    const memory::Buffer found(device_, places.size() * sizeof(T));
    launch_ranks(*stream_, {dtype_of<T>().scalar(), values.size(), places.size(), schedule()},
                 {elements, at, found});
    stream_->synchronize();
    std::vector<T> got(places.size());
    found.copy_to(got);
    if (!device_->info().traits.runs_kernels) return;
    std::ranges::sort(values, [](T a, T b) { return a < b || (b != b && a == a); });
    for (std::size_t i = 0; i < places.size(); ++i) {
      const T expected = values[static_cast<std::size_t>(places[i])];
      if (expected == expected) {
        EXPECT_EQ(got[i], expected) << i;
      } else {
        EXPECT_NE(got[i], got[i]) << i;
      }
    }
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, RanksTest, each_device_and_schedule(), schedule_test_name);

TEST_P(RanksTest, AreThoseOfASort) {
  std::vector<float> floats(20'001);
  std::vector<std::int64_t> integers(9'000);
  for (std::size_t i = 0; i < floats.size(); ++i)
    floats[i] = static_cast<float>(static_cast<int>(i * 7919 % 20'011) - 9'000) * 0.37f;
  floats[3] = std::numeric_limits<float>::quiet_NaN();
  floats[4] = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < integers.size(); ++i)
    integers[i] = static_cast<std::int64_t>(i * i % 1009) * 1'000'003 - 500'000'000;
  check(floats);
  check(integers);
  check(std::vector<float>{2.5f});
  check(std::vector<float>(3000, 7));
}

TEST_P(RanksTest, RefusesWhatHasNone) {
  const memory::Buffer memory(device_, 16);
  EXPECT_THROW(launch_ranks(*stream_, {Scalar::complex64, 1, 1}, {memory, memory, memory}),
               DTypeError);
  EXPECT_THROW(launch_ranks(*stream_, {Scalar::float32, 0, 1}, {memory, memory, memory}),
               InvalidArgument);
  EXPECT_FALSE(is_worth_ranks(*device_, {Scalar::float32, 10, 1}))
      << "a sort of so few is one launch";
}

}  // namespace
}  // namespace treadle::kernel
