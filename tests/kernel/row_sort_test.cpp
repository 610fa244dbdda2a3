// SPDX-License-Identifier: MIT
// Sorts of rows in both schedules; tests/array/ordering_test.cpp has what is made of them.
#include "treadle/kernel/row_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "each_schedule.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class RowSortTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }

  /// Sorts rows of such numbers, and compares with the host's stable sort.
  template <class T>
  void check(std::size_t rows, std::size_t length, bool is_descending) {
    std::vector<T> values(rows * length);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(static_cast<int>(i * 7919 % 251) - 125);
    std::vector<std::uint32_t> places(values.size());
    std::iota(places.begin(), places.end(), 0u);
    const memory::Buffer in(device_, values), into(device_, values.size() * sizeof(T));
    const memory::Buffer from(device_, places), to(device_, places.size() * 4);
    launch_row_sort(*stream_,
                    {.dtype = dtype_of<T>().scalar(),
                     .rows = rows,
                     .length = length,
                     .is_descending = is_descending,
                     .schedule = std::get<1>(GetParam())},
                    {in, into, from, to});
    stream_->synchronize();
    std::vector<T> found(values.size());
    std::vector<std::uint32_t> order(places.size());
    into.copy_to(found);
    to.copy_to(order);
    if (!device_->info().traits.runs_kernels) return;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto begin = places.begin() + static_cast<std::ptrdiff_t>(row * length);
      std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(length),
                       [&](std::uint32_t a, std::uint32_t b) {
                         return is_descending ? values[a] > values[b] : values[a] < values[b];
                       });
    }
    ASSERT_EQ(order, places);
    for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(found[i], values[places[i]]);
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, RowSortTest, each_device_and_schedule(), schedule_test_name);

TEST_P(RowSortTest, EqualElementsStayInTheirOrder) {
  check<float>(1, 20'001, false);
  check<float>(1, 1000, true);
  check<std::int64_t>(3, 700, false);  // by elements, and then by rows
  check<float>(1, 48, true);           // few are ranked
  check<std::int64_t>(301, 49, true);
}

TEST_P(RowSortTest, GroupsSortRowsForWhichTheyHaveRoom) {
  check<std::uint8_t>(5, 1, false);
  check<std::uint32_t>(3, 511, true);
  check<std::uint32_t>(2, 513, false);
  check<std::int16_t>(2, 3000, true);
  check<std::int8_t>(3, 300, false);
  check<double>(2, 1500, true);
  check<std::int32_t>(2, 11'300, false);  // too long
}

TEST_P(RowSortTest, RefusesWhatHasNoOrder) {
  const memory::Buffer x(device_, std::vector<float>(4));
  EXPECT_THROW(launch_row_sort(*stream_, {Scalar::complex64, 1, 2}, {x, x, {}, {}}), DTypeError);
  const RowSort two{
      .dtype = Scalar::float32, .rows = 2, .length = 20'000, .schedule = Schedule::wide};
  EXPECT_THROW(launch_row_sort(*stream_, two, {x, x, {}, {}}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::kernel
