// SPDX-License-Identifier: MIT
// Sorts on every device, against those of the host.
#include "treadle/kernel/sort.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kernel/each_schedule.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

template <class T>
bool is_before(T a, T b) {
  return a < b || (b != b && a == a);
}

class SortTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  static Schedule schedule() { return std::get<1>(GetParam()); }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

  /// Sorts numbers that begin `offset` elements into their memory, each with its index.
  template <class T>
  void expect_sorted(const std::vector<T>& numbers, std::uint64_t outer, std::uint64_t length,
                     std::uint64_t inner, std::size_t offset = 0) {
    std::vector<T> values(offset, T{});
    values.insert(values.end(), numbers.begin(), numbers.end());
    std::vector<std::int32_t> indices(numbers.size());
    std::iota(indices.begin(), indices.end(), 0);
    const memory::Buffer memory(device_, values), carried(device_, indices);
    const Scalar dtype = dtype_of<T>().scalar();
    sort(*stream_, {{memory.location() + offset * sizeof(T), dtype},
                    SortElements{carried.location(), Scalar::int32},
                    outer,
                    length,
                    inner,
                    schedule()});
    stream_->synchronize();
    if (!runs_kernels()) return;
    memory.copy_to(values);
    carried.copy_to(indices);
    for (std::uint64_t line = 0; line < outer * inner; ++line) {
      const std::uint64_t start = line / inner * length * inner + line % inner;
      std::vector<T> expected, got, taken;
      for (std::uint64_t i = 0; i < length; ++i) {
        const std::uint64_t at = start + i * inner;
        expected.push_back(numbers[at]);
        got.push_back(values[offset + at]);
        taken.push_back(numbers[static_cast<std::size_t>(indices[at])]);
      }
      std::ranges::sort(expected, is_before<T>);
      const auto is_same = [](T a, T b) { return a == b || (a != a && b != b); };
      ASSERT_TRUE(std::ranges::equal(expected, got, is_same))
          << "line " << line << " of " << length << " elements";
      ASSERT_TRUE(std::ranges::equal(got, taken, is_same)) << "what was carried, line " << line;
    }
  }

  template <class T>
  std::vector<T> numbers(std::size_t count) {
    std::vector<T> all(count);
    std::ranges::generate(all, [this] {
      return static_cast<T>(std::uniform_int_distribution<int>(-100, 100)(random_));
    });
    return all;
  }

  std::mt19937 random_{7};
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, SortTest, each_device_and_schedule(), schedule_test_name);

TEST_P(SortTest, LinesOfEveryLengthAreSorted) {
  for (const std::size_t length : {1, 2, 4, 64, 512, 1024, 4096, 16384})
    expect_sorted(numbers<float>(length), 1, length, 1, length % 3);
  expect_sorted(numbers<float>(3 * 128), 3, 128, 1);
  expect_sorted(numbers<float>(5 * 2048), 5, 2048, 1);
}

TEST_P(SortTest, NanComesBehindAllNumbers) {
  std::vector<float> values = numbers<float>(1024);
  for (const std::size_t i : {0, 5, 500, 1023}) values[i] = std::nanf("");
  values[17] = std::numeric_limits<float>::infinity();
  values[18] = -std::numeric_limits<float>::infinity();
  expect_sorted(values, 1, 1024, 1);
}

TEST_P(SortTest, LinesMayLieAcrossRows) {
  expect_sorted(numbers<std::int8_t>(2 * 8 * 5), 2, 8, 5);
  expect_sorted(numbers<std::int8_t>(2 * 8192 * 3), 2, 8192, 3);
}

TEST_P(SortTest, NothingIsSortedAndDoneIsTold) {
  const memory::Buffer memory(device_, std::vector<float>{2, 1});
  const auto done = device_->make_event();
  for (const std::uint64_t length : {0, 1})
    sort(*stream_, {{memory.location(), Scalar::float32}, {}, 1, length, 1, schedule()},
         {.done = done.get()});
  done->synchronize();
}

TEST_P(SortTest, RefusesWhatItCannotSort) {
  const memory::Buffer memory(device_, std::vector<float>(8));
  const auto sort = [&](Scalar dtype, std::uint64_t length, std::size_t offset) {
    kernel::sort(*stream_, {{memory.location() + offset, dtype}, {}, 1, length, 1, schedule()});
  };
  EXPECT_THROW(sort(Scalar::float32, 6, 0), InvalidArgument);
  EXPECT_THROW(sort(Scalar::float32, 4, 2), InvalidArgument);
  EXPECT_THROW(sort(Scalar::complex64, 4, 0), DTypeError);
}

}  // namespace
}  // namespace treadle::kernel
