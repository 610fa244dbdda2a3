// SPDX-License-Identifier: MIT
// Values grouped by keys on every device; what it is made of is tested in both schedules.
#include "treadle/kernel/group_kernel.hpp"

#include <gtest/gtest.h>

#include "views.hpp"

namespace treadle::kernel {
namespace {

class GroupKernelTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, GroupKernelTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(GroupKernelTest, ValuesOfEqualKeysStayInOrder) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  GroupKernel group(device, {.key = Scalar::int16, .value = Scalar::float64});
  constexpr int groups = 300;
  for (const std::size_t n : {std::size_t{0}, std::size_t{20'000}}) {
    std::vector<std::int16_t> keys(n);
    std::vector<double> values(n), expected;
    std::vector<int> starts;
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::int16_t>(i * 7919 % 290);
      values[i] = static_cast<double>(i);
    }
    for (int key = 0; key <= groups; ++key) {
      starts.push_back(static_cast<int>(expected.size()));
      for (std::size_t i = 0; i < n; ++i)
        if (keys[i] == key) expected.push_back(values[i]);
    }
    const memory::Buffer in(device, keys), beside(device, values), out(device, n * 8);
    const memory::Buffer begins(device, (groups + 1) * 4);
    group.launch(*stream, {n, groups}, {in, beside, begins, out});
    stream->synchronize();
    if (!device->info().traits.runs_kernels) continue;
    std::vector<int> got(groups + 1);
    begins.copy_to(got);
    out.copy_to(values);
    EXPECT_EQ(got, starts) << n;
    EXPECT_EQ(values, expected) << n;
  }
}

TEST_P(GroupKernelTest, RefusesKeysThatAreNoIntegers) {
  const auto device = device::find_device(GetParam());
  device::expect_error<DTypeError>(
      [&] { GroupKernel(device, {.key = Scalar::float32, .value = Scalar::float64}); },
      {"keys of groups", "float32"});
  device::expect_error<DTypeError>(
      [&] {
        GroupKernel(device, {.key = Scalar::int8, .value = Scalar::int8, .start = Scalar::float32});
      },
      {"starts of groups"});
  GroupKernel few(device, {.key = Scalar::int32, .value = Scalar::int32, .start = Scalar::int8});
  const memory::Buffer memory(device, 512);
  device::expect_error<InvalidArgument>(
      [&] { few.launch(*device->make_stream(), {128, 3}, {memory, memory, memory, memory}); },
      {"starts of int8", "128 values", "int64"});
  device::expect_error<InvalidArgument>(
      [&] { GroupKernel(nullptr, {.key = Scalar::int32, .value = Scalar::float64}); },
      {"needs a device"});
}

}  // namespace
}  // namespace treadle::kernel
