// SPDX-License-Identifier: MIT
#include "treadle/opencl/svm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "opencl/each_platform.hpp"
#include "opencl/fake_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class SharedMemoryTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (!IsSkipped() && capabilities() == 0) GTEST_SKIP() << "the device shares no memory";
  }
  std::uint64_t capabilities() const {
    try {
      return device().get<DeviceInfo::svm_capabilities>();
    } catch (const Error&) {  // before OpenCL 2.0
      return 0;
    }
  }
  void need(DeviceSvmCapabilities wanted) const {
    if (!has(static_cast<DeviceSvmCapabilities>(capabilities()), wanted))
      GTEST_SKIP() << "the device lacks it";
  }
  static std::span<int> ints(const SharedMemory& memory) {
    return {static_cast<int*>(memory.data()), memory.size_bytes() / sizeof(int)};
  }
  /// Shared memory with these values.
  SharedMemory shared(const std::vector<int>& values) const {
    SharedMemory memory(context(), values.size() * sizeof(int));
    copy_shared(queue(), ints(memory), values);
    return memory;
  }
  std::vector<int> values(std::span<int> from) const {
    std::vector<int> to(from.size());
    copy_shared(queue(), to, from);
    return to;
  }
};
INSTANTIATE_TEST_SUITE_P(, SharedMemoryTest, each_platform, platform_test_name);

TEST_P(SharedMemoryTest, OfAnotherContextIsNotUsed) {
  const Context other(device());
  SharedMemory foreign(other, 64);
  const std::vector<std::byte> host(64);
  std::vector<std::byte> back(64);
  const std::vector<std::function<void()>> attempts{
      [&] { copy_shared(queue(), foreign, host); },
      [&] { copy_shared(queue(), back, foreign); },
      [&] { fill_shared(queue(), foreign, std::vector<int>{1}); },
      [&] { map_shared(queue(), MapFlags::read, foreign); },
      [&] { foreign.bind_to_queue(queue()); },
      [&] { foreign.enqueue_free(queue()); },
      [&] {
        const Kernel kernel = build("kernel void set(global int *a) { a[0] = 1; }").kernel("set");
        kernel.launch({.queue = queue(), .global = {1}}, foreign);
      }};
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const DeviceError error = device_error_of(attempts[i]);
    EXPECT_EQ(error.code_name(), "CL_INVALID_CONTEXT") << i;
    EXPECT_THAT(error.what(), HasSubstr("another context")) << i;
  }
  EXPECT_FALSE(foreign.is_freed());
}

TEST_P(SharedMemoryTest, IsARangeOfItsOwnContext) {
  SharedMemory memory(context(), 16);
  const std::vector<int> host{1, 2, 3, 4};
  copy_shared(queue(), memory, host);
  std::vector<int> back(4);
  copy_shared(queue(), back, memory);
  EXPECT_EQ(back, host);
  memory.free();
  EXPECT_THROW(copy_shared(queue(), back, memory), InvalidState);
}

TEST_P(SharedMemoryTest, HasAnAlignedAddress) {
  const SharedMemory memory(context(), 100, SvmMemFlags::read_write, 64);
  EXPECT_EQ(memory.size_bytes(), 100u);
  EXPECT_EQ(memory.context(), context());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
  EXPECT_EQ(memory.queue(), nullptr);
}

TEST_P(SharedMemoryTest, IsCopiedAndFilled) {
  const SharedMemory memory = shared({1, 2, 3, 4});
  EXPECT_THAT(values(ints(memory)), ElementsAre(1, 2, 3, 4));
  fill_shared(queue(), ints(memory).subspan(2), std::vector<int>{7});
  EXPECT_THAT(values(ints(memory)), ElementsAre(1, 2, 7, 7));
  const SharedMemory other(context(), 8);
  copy_shared(queue(), ints(other), ints(memory).subspan(1, 2), {}, Blocking::no).wait();
  EXPECT_THAT(values(ints(other)), ElementsAre(2, 7));
}

TEST_P(SharedMemoryTest, BelongsToTheHostWhileItIsMapped) {
  const SharedMemory memory = shared({1, 2, 3, 4});
  map_shared(queue(), MapFlags::read | MapFlags::write, ints(memory));
  EXPECT_THAT(ints(memory), ElementsAre(1, 2, 3, 4));
  ints(memory)[0] = 9;
  unmap_shared(queue(), memory.data()).wait();
  EXPECT_THAT(values(ints(memory)), ElementsAre(9, 2, 3, 4));
}

TEST_P(SharedMemoryTest, AMappingGivesItBackAtItsEnd) {
  const SharedMemory memory = shared({1, 2, 3, 4});
  {
    SharedMapping mapping(queue(), MapFlags::read | MapFlags::write, ints(memory));
    EXPECT_THAT(mapping.as<int>(), ElementsAre(1, 2, 3, 4));
    SharedMapping moved = std::move(mapping);
    EXPECT_FALSE(mapping.is_mapped());
    EXPECT_THROW(mapping.bytes(), InvalidState);
    moved.as<int>()[1] = 8;
  }
  EXPECT_THAT(values(ints(memory)), ElementsAre(1, 8, 3, 4));
  SharedMapping mapping(queue(), MapFlags::read, ints(memory));
  mapping.unmap().wait();
  EXPECT_FALSE(mapping.is_mapped());
  EXPECT_THROW(mapping.unmap(), InvalidState);
}

TEST_P(SharedMemoryTest, IsAnArgumentOfAKernel) {
  const Kernel twice =
      build("kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }").kernel("twice");
  const SharedMemory memory = shared({1, 2, 3, 4});
  twice.launch({.queue = queue(), .global = {4}}, memory);
  EXPECT_THAT(values(ints(memory)), ElementsAre(2, 4, 6, 8));
  twice.launch({.queue = queue(), .global = {2}}, SharedPointer{ints(memory).data() + 2});
  EXPECT_THAT(values(ints(memory)), ElementsAre(2, 4, 12, 16));
}

TEST_P(SharedMemoryTest, IsReachedThroughPointersInOtherMemory) {
  const Kernel follow =
      build("kernel void follow(global long *at) { *(global int *)at[0] = 5; }").kernel("follow");
  const SharedMemory target = shared({0});
  SharedMemory list(context(), sizeof(void*));
  void* const address = target.data();
  copy_shared(queue(), std::span(static_cast<void**>(list.data()), 1), std::span(&address, 1));
  const void* const reached[] = {address};
  use_shared_indirectly(follow, reached);
  follow.launch({.queue = queue(), .global = {1}}, list);
  EXPECT_THAT(values(ints(target)), ElementsAre(5));
}

TEST_P(SharedMemoryTest, FineGrainedIsTheHostsAtAnyTime) {
  need(DeviceSvmCapabilities::fine_grain_buffer);
  if (IsSkipped()) return;
  const SharedMemory memory(context(), 16,
                            SvmMemFlags::read_write | SvmMemFlags::svm_fine_grain_buffer);
  std::ranges::fill(ints(memory), 3);
  const Kernel twice =
      build("kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }").kernel("twice");
  twice.launch({.queue = queue(), .global = {4}}, memory).wait();
  EXPECT_THAT(ints(memory), Each(6));
}

TEST_P(SharedMemoryTest, OfNoBytesIsNothingThatCanBeFreed) {
  SharedMemory memory(context(), 0);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_FALSE(memory.is_freed());
  memory.enqueue_free(queue()).wait();
  EXPECT_TRUE(memory.is_freed());
  EXPECT_THROW(memory.data(), InvalidState);
}

TEST_P(SharedMemoryTest, IsFreedOnce) {
  SharedMemory memory(context(), 16);
  memory.free();
  EXPECT_THROW(memory.free(), InvalidState);
  EXPECT_THROW(memory.enqueue_free(queue()), InvalidState);
  EXPECT_THROW(memory.bind_to_queue(queue()), InvalidState);
  SharedMemory other(context(), 16);
  const UserEvent start(context());
  const Event freed = other.enqueue_free(queue(), {.after = start});
  EXPECT_TRUE(other.is_freed());
  start.set_status(0);
  freed.wait();
}

TEST_P(SharedMemoryTest, MovesWithItsQueue) {
  SharedMemory first(context(), 16);
  first.bind_to_queue(queue());
  void* const address = first.data();
  SharedMemory second = std::move(first);
  EXPECT_TRUE(first.is_freed());
  EXPECT_EQ(second.data(), address);
  EXPECT_EQ(*second.queue(), queue());
  second.unbind_from_queue();
  EXPECT_EQ(second.queue(), nullptr);
}

TEST_P(SharedMemoryTest, AnotherQueueStartsAfterTheLastOne) {
  SharedMemory memory = shared({1});
  memory.bind_to_queue(queue());
  const UserEvent start(context());
  queue().marker({.after = start});
  const Queue other(context());
  memory.bind_to_queue(other);
  const Event end = other.marker();
  other.flush();
  EXPECT_FALSE(end.is_done());
  start.set_status(0);
  end.wait();
}

TEST_P(SharedMemoryTest, IsNotBoundToAQueueOutOfOrder) {
  const Queue loose(context(), CommandQueueProperties::out_of_order_exec_mode_enable);
  SharedMemory memory(context(), 16);
  EXPECT_THROW(memory.bind_to_queue(loose), InvalidArgument);
}

TEST_P(SharedMemoryTest, MigratesWherePlatformsCan) {
  const SharedMemory memory = shared({1, 2});
  const void* const all[] = {memory.data()};
  try {
    migrate_shared(queue(), all).wait();
  } catch (const NotSupported&) {  // before OpenCL 2.1
  }
  EXPECT_THAT(values(ints(memory)), ElementsAre(1, 2));
}

TEST_P(SharedMemoryTest, BadRequestsAreRefused) {
  const auto code = [&](auto attempt) { return device_error_of(attempt).code_name(); };
  EXPECT_EQ(code([&] { SharedMemory(context(), 16, SvmMemFlags::read_write, 24); }),
            "CL_INVALID_VALUE");
  EXPECT_EQ(code([&] { SharedMemory(context(), 16, SvmMemFlags::svm_atomics); }),
            "CL_INVALID_VALUE");
  EXPECT_THAT(device_error_of([&] { SharedMemory(context(), std::size_t{1} << 60); }).what(),
              HasSubstr("bytes of shared virtual memory on "));
  EXPECT_THROW(SharedMemory(context(), std::size_t{1} << 60), OutOfMemory);
  const SharedMemory memory = shared({1, 2, 3, 4});
  EXPECT_EQ(code([&] { fill_shared(queue(), ints(memory), std::array<int, 3>{}); }),
            "CL_INVALID_VALUE");
  EXPECT_EQ(code([&] { fill_shared(queue(), ints(memory).subspan(1), std::array<int, 2>{}); }),
            "CL_INVALID_VALUE");
  EXPECT_EQ(code([&] { copy_shared(queue(), ints(memory).first(2), ints(memory).subspan(1, 2)); }),
            "CL_MEM_COPY_OVERLAP");
  EXPECT_THROW(copy_shared(queue(), ints(memory), std::vector<int>{1}), InvalidArgument);
}

TEST(OpenCLSharedMemoryOnFake, OlderPlatformsHaveNone) {
  fake::reset();
  fake::state().version = "OpenCL 1.2 Fake";
  const Context context(fake::device());
  EXPECT_THROW(SharedMemory(context, 16), NotSupported);
  fake::reset();
}

TEST(OpenCLSharedMemory, AnEmptyOneSaysSo) {
  EXPECT_TRUE(SharedMemory().is_freed());
  EXPECT_THROW(SharedMemory().data(), InvalidState);
}

}  // namespace
}  // namespace treadle::opencl
