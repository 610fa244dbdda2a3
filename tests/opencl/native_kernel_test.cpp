// SPDX-License-Identifier: MIT
#include "treadle/opencl/native_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "opencl/each_platform.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NativeKernelTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (!IsSkipped() && !has_native()) GTEST_SKIP() << "the device runs no native kernels";
  }
  bool has_native() const {
    return (device().get<DeviceInfo::execution_capabilities>() & 2) != 0;  // CL_EXEC_NATIVE_KERNEL
  }
};
INSTANTIATE_TEST_SUITE_P(, NativeKernelTest, each_platform, platform_test_name);

TEST_P(NativeKernelTest, UsesMemoryInTheQueuesOrder) {
  const Buffer a = filled(std::vector<int>{1, 2, 3}), b = filled(std::vector<int>{10, 20, 30});
  const MemoryObject both[] = {a, b};
  enqueue_native(
      queue(),
      [](std::span<void* const> memory) {
        for (int i = 0; i < 3; ++i)
          static_cast<int*>(memory[0])[i] += static_cast<const int*>(memory[1])[i];
      },
      both);
  EXPECT_THAT(values_of<int>(a), ElementsAre(11, 22, 33));
}

TEST_P(NativeKernelTest, StartsAfterItsWaitListAndNeedsNoMemory) {
  std::atomic<int> calls = 0;
  const UserEvent start(context());
  const Event done = enqueue_native(
      queue(), [&](std::span<void* const> memory) { calls = memory.empty() ? 1 : -1; }, {},
      {.after = start});
  queue().flush();
  EXPECT_EQ(calls, 0);
  start.set_status(0);
  done.wait();
  EXPECT_EQ(calls, 1);
}

TEST_P(NativeKernelTest, WithoutEventIsFreedToo) {
  const auto kept = std::make_shared<int>(1);
  const Event none = enqueue_native(queue(), [kept](auto) {}, {}, {.without_event = true});
  EXPECT_FALSE(none);
  queue().finish();
  for (int i = 0; i < 1000 && kept.use_count() > 1; ++i) queue().finish();
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_P(NativeKernelTest, WhatItThrowsIsAWarning) {
  std::string seen;
  std::mutex guard;
  const auto before = set_warning_handler([&](std::string_view text) {
    const std::lock_guard lock(guard);
    seen = text;
  });
  enqueue_native(queue(), [](auto) { throw std::runtime_error("no good"); }).wait();
  set_warning_handler(before);
  EXPECT_THAT(seen, HasSubstr("no good"));
}

TEST_P(NativeKernelTest, NothingIsRefused) {
  EXPECT_THROW(enqueue_native(queue(), nullptr), InvalidArgument);
}

}  // namespace
}  // namespace treadle::opencl
