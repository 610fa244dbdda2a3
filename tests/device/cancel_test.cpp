// SPDX-License-Identifier: MIT
#include "treadle/device/cancel.hpp"

#include "device/each_device.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::device {
namespace {

// On the CPU device alone: nothing can end a kernel elsewhere.
TEST(CancelTest, AKernelThatNeverEndsIsLeftAndTheDeviceGoesOn) {
  std::shared_ptr<Device> cpu;
  for (const std::string& id : device_ids())
    if (id == "cpu") cpu = find_device(id);
  if (cpu == nullptr) GTEST_SKIP() << "no CPU device";
  const kernel::Program program(cpu, R"(
    extern "C" __global__ void write(int *out, int value, int endless)
    {
      for (volatile int k = 0; endless; k = 0) ;
      out[threadIdx.x] = value;
    })");
  const Kernel write = program.kernel("write");
  const memory::Buffer out(cpu, std::vector<int>(4, 1));
  const auto found = [&] {
    std::vector<int> values(4);
    out.copy_to(std::span(values));
    return values;
  };
  const LaunchShape shape{.groups = {1}, .group_size = {4}};
  const auto stream = cpu->make_stream(), other = cpu->make_stream();
  for (int round = 2; round < 4; ++round) {
    stream->launch(write, shape, out, 9, 1);
    stream->launch(write, shape, out, 9, 0);
    EXPECT_TRUE(cancel_kernels(*stream));
    stream->synchronize();
    EXPECT_EQ(found(), std::vector<int>(4, round - 1));
    other->launch(write, shape, out, round, 0);
    other->synchronize();
    EXPECT_EQ(found(), std::vector<int>(4, round));
  }
}

TEST(CancelTest, OtherDevicesSayThatTheyCannot) {
  for (const std::string& id : device_ids()) {
    const auto device = find_device(id);
    EXPECT_EQ(cancel_kernels(*device->make_stream()), id == "cpu") << id;
  }
}

}  // namespace
}  // namespace treadle::device
