// SPDX-License-Identifier: MIT
// What tests/array/counting_test.cpp calls, on memory.
#include "treadle/kernel/counting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "device/each_device.hpp"
#include "each_schedule.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class CountTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, CountTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(CountTest, BinsBeyondTheLastAreLeftOut) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  const memory::Buffer bins(device, std::vector<std::uint32_t>{0, 0, 2, 3});
  const memory::Buffer weights(device, std::vector<double>{1, 0.5, 4, 9});
  const memory::Buffer counts(device, std::vector<std::uint32_t>{0, 0, 0, 7});
  const memory::Buffer sums(device, std::vector<double>{0, 0, 0, 7});
  launch_count(*stream, {.n = 4, .bin_count = 3}, {bins, counts, {}});
  launch_weighted(*stream, 4, 3, {bins, weights, sums});
  stream->synchronize();
  std::vector<std::uint32_t> counted(4);
  std::vector<double> summed(4);
  counts.copy_to(counted);
  sums.copy_to(summed);
  if (!device->info().traits.runs_kernels) return;
  EXPECT_EQ(counted, (std::vector<std::uint32_t>{2, 0, 1, 7}));
  EXPECT_EQ(summed, (std::vector<double>{1.5, 0, 4, 7}));
}

/// Bins that NumPy gives values near the edges: the last edge that is not above the value.
std::vector<std::uint32_t> counted_on_the_host(const std::vector<float>& values,
                                               const std::vector<float>& edges) {
  std::vector<std::uint32_t> counts(edges.size() - 1);
  for (const float value : values) {
    if (!(value >= edges.front() && value <= edges.back())) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), value);
    const auto bin = static_cast<std::size_t>(above - edges.begin()) - 1;
    ++counts[std::min(bin, counts.size() - 1)];
  }
  return counts;
}

class CountBySchedule : public testing::TestWithParam<DeviceAndSchedule> {};
INSTANTIATE_TEST_SUITE_P(Devices, CountBySchedule, each_device_and_schedule(), schedule_test_name);

TEST_P(CountBySchedule, CountsInMemoryOfGroupsAndInThatOfAll) {
  const auto device = device::find_device(std::get<0>(GetParam()));
  const Schedule schedule = std::get<1>(GetParam());
  const auto stream = device->make_stream();
  for (const std::uint64_t bin_count : {std::uint64_t{10}, std::uint64_t{40'000}}) {
    std::vector<std::int64_t> numbers(30'001);
    std::vector<std::uint32_t> expected(bin_count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<std::int64_t>(i * i % (bin_count + 3)) - 1;
      if (numbers[i] >= 0 && static_cast<std::uint64_t>(numbers[i]) < bin_count)
        ++expected[static_cast<std::size_t>(numbers[i])];
    }
    const memory::Buffer elements(device, numbers);
    const memory::Buffer counts(device, std::vector<std::uint32_t>(bin_count));
    launch_count(*stream, {numbers.size(), bin_count, Scalar::int64, {}, schedule},
                 {elements, counts, {}});
    stream->synchronize();
    std::vector<std::uint32_t> counted(bin_count);
    counts.copy_to(counted);
    if (device->info().traits.runs_kernels) {
      EXPECT_EQ(counted, expected) << bin_count;
    }
  }
  if (!device->info().traits.fp64) return;
  const std::vector<float> values{-1, 0, 0.5f, 1, 1.5f, 2, 2.5f};
  const memory::Buffer elements(device, values), edges(device, std::vector<float>{0, 1, 2});
  const memory::Buffer counts(device, std::vector<std::uint32_t>(2));
  launch_count(*stream, {values.size(), 2, Scalar::float32, EvenBins{0, 1}, schedule},
               {elements, counts, edges});
  stream->synchronize();
  std::vector<std::uint32_t> counted(2);
  counts.copy_to(counted);
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(counted, (std::vector<std::uint32_t>{2, 3}));
  }
  EXPECT_THROW(launch_count(*stream, {1, 1, Scalar::complex64},
                            {device::Location{}, device::Location{}, {}}),
               DTypeError);
}

TEST_P(CountBySchedule, EdgesDecideAsTheyAreRounded) {
  const auto device = device::find_device(std::get<0>(GetParam()));
  if (!device->info().traits.fp64) GTEST_SKIP() << "no doubles";
  const auto stream = device->make_stream();
  struct Range {
    double first, last;
    std::size_t bins;
  };
  for (const Range& range :
       {Range{0, 1, 7}, {-3, 11, 256}, {1000, 1000.01, 100}, {0.1, 0.7, 1000}}) {
    std::vector<float> edges(range.bins + 1);
    std::vector<float> values{-1e9f, 1e9f, NAN, INFINITY, -INFINITY, 3e38f, -3e38f};
    for (std::size_t k = 0; k <= range.bins; ++k)
      edges[k] =
          static_cast<float>(range.first + (range.last - range.first) * static_cast<double>(k) /
                                               static_cast<double>(range.bins));
    for (const float edge : edges)
      for (const float other : {edge, std::nextafterf(edge, 1e9f), std::nextafterf(edge, -1e9f),
                                edge + static_cast<float>((range.last - range.first) * 0.3) /
                                           static_cast<float>(range.bins)})
        values.push_back(other);
    // Places of all magnitudes, on both sides of the range: more than a group takes at once.
    const double width = range.last - range.first;
    for (int k = 0; k < 9000; ++k)
      values.push_back(static_cast<float>(
          range.first + (k % 2 == 0 ? width : -width) * std::exp2((k * 7919 % 9000) * 0.01 - 60)));
    const memory::Buffer elements(device, values), ends(device, edges);
    const double scale = static_cast<double>(range.bins) / width;
    // Without its first element, the array is not aligned to an access of several elements.
    for (const std::size_t left_out : {0, 1}) {
      const memory::Buffer counts(device, std::vector<std::uint32_t>(range.bins));
      launch_count(*stream,
                   {values.size() - left_out, range.bins, Scalar::float32,
                    EvenBins{range.first, scale}, std::get<1>(GetParam())},
                   {elements.location() + left_out * sizeof(float), counts, ends});
      stream->synchronize();
      std::vector<std::uint32_t> counted(range.bins);
      counts.copy_to(counted);
      if (!device->info().traits.runs_kernels) continue;
      EXPECT_EQ(counted, counted_on_the_host(values, edges)) << range.first;
    }
  }
}

}  // namespace
}  // namespace treadle::kernel
