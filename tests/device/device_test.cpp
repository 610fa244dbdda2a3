// SPDX-License-Identifier: MIT
#include "treadle/device/device.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class DeviceTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, DeviceTest, each_device(), device_test_name);

TEST_P(DeviceTest, AllocationsAreAlignedAndCounted) {
  const auto before = device()->live_memory();
  const Location a = device()->allocate(1000), b = device()->allocate(24);
  EXPECT_TRUE(a);
  EXPECT_NE(a, b);
  EXPECT_EQ(a.offset, 0u);
  if (info().language == Language::cuda_c) {  // elsewhere a handle is no address
    EXPECT_EQ(a.handle % info().allocation_alignment, 0u);
    EXPECT_EQ(b.handle % info().allocation_alignment, 0u);
  }
  EXPECT_EQ(device()->live_memory().count, before.count + 2);
  EXPECT_EQ(device()->live_memory().bytes, before.bytes + 1024);
  device()->free(a);
  device()->free(b);
  EXPECT_EQ(device()->live_memory().bytes, before.bytes);
}

TEST_P(DeviceTest, ZeroBytesAreTheEmptyLocation) {
  const Location nothing = device()->allocate(0);
  EXPECT_EQ(nothing, Location{});
  EXPECT_FALSE(nothing);
  device()->free(nothing);
  device()->free(nothing);
}

TEST_P(DeviceTest, FreeingTwiceIsRefused) {
  const Location memory = device()->allocate(64);
  device()->free(memory);
  expect_error<InvalidState>([&] { device()->free(memory); }, {"no live allocation", info().id});
}

TEST_P(DeviceTest, FreeingAPlaceInsideAnAllocationIsRefused) {
  const Location memory = device()->allocate(64);
  EXPECT_THROW(device()->free(memory + 16), InvalidState);
  device()->free(memory);
}

TEST_P(DeviceTest, FreeingForeignMemoryIsRefused) {
  const Location memory = foreign()->allocate(64);
  EXPECT_THROW(device()->free(memory), InvalidState);
  foreign()->free(memory);
}

TEST_P(DeviceTest, TooMuchMemoryIsOutOfMemory) {
  for (const std::size_t bytes : {std::size_t{1} << 50, std::size_t{1} << 62})
    expect_error<OutOfMemory>([&] { device()->allocate(bytes); }, {std::to_string(bytes)});
  device()->free(device()->allocate(64));
}

TEST_P(DeviceTest, MemoryIsUsableByEveryStream) {
  const Buffer buffer = buffer_of(count_up(100));
  const auto other = device()->make_stream();
  std::vector<int> values(100);
  buffer.copy_to(values, *other);
  other->synchronize();
  EXPECT_EQ(values, count_up(100));
}

TEST_P(DeviceTest, ThreadsMayAllocateAtOnce) {
  on_threads(4, [&](int thread) {
    for (int i = 0; i < 50; ++i) {
      const Location memory = device()->allocate(static_cast<std::size_t>(64 + 8 * thread + i));
      device()->free(memory);
    }
  });
}

TEST_P(DeviceTest, FreeingDoesNotPullMemoryAwayUnderQueuedWork) {
  const Kernel slow = kernel("wait_then_set");
  for (int i = 0; i < 10; ++i) {
    const Location memory = device()->allocate(1 << 20);
    stream().launch(slow, {.groups = 1, .group_size = 1}, memory, 200000, 7);
    device()->free(memory);
  }
  stream().synchronize();
}

TEST_P(DeviceTest, AdoptedMemoryMayBeCopied) {
  const Location memory = device()->allocate(64);
  const Location inside = memory + 16;
  if (info().language == Language::cuda_c) {
    const Location adopted{inside.handle + inside.offset, 0};
    std::vector<int> values(4);
    EXPECT_THROW(stream().copy_in(adopted, values.data(), 16), InvalidState);
    device()->adopt(adopted, 16);
    stream().copy_in(adopted, values.data(), 16);
    EXPECT_THROW(stream().copy_in(adopted, values.data(), 17), InvalidArgument);
    stream().synchronize();
    device()->forget(adopted);
    EXPECT_THROW(stream().copy_in(adopted, values.data(), 16), InvalidState);
  }
  device()->free(memory);
}

TEST_P(DeviceTest, DefaultStreamIsOneAndKeepsTheDevice) {
  const auto a = device()->default_stream(), b = device()->default_stream();
  EXPECT_EQ(a, b);
  EXPECT_EQ(&a->device(), device().get());
  EXPECT_NE(device()->make_stream(), a);
}

TEST_P(DeviceTest, WhatWasMadeOnADeviceKeepsIt) {
  std::shared_ptr<Device> own = GetParam() == "null" ? make_null_device() : find_device(GetParam());
  const std::weak_ptr<Device> watched = own;
  auto stream = own->make_stream();
  auto event = own->make_event();
  auto buffer = std::make_unique<Buffer>(own, 64);
  own.reset();
  stream->record(*event);
  buffer->copy_from(std::vector<int>{1, 2, 3});
  event->synchronize();
  if (GetParam() == "null") {
    EXPECT_FALSE(watched.expired());
    stream.reset(), event.reset(), buffer.reset();
    EXPECT_TRUE(watched.expired());
  }
}

TEST_P(DeviceTest, LoadingNothingOrGarbageIsRefused) {
  EXPECT_THROW(device()->load({}), InvalidArgument);
  EXPECT_THROW(device()->load({.code = std::vector<std::byte>(300, std::byte{0x5A})}), DeviceError);
}

TEST_P(DeviceTest, BuildCompilesOrSaysWhoDoes) {
  const BuildRequest request{in_language(info().language, kernels_text)};
  if (!info().builds_text) {
    EXPECT_THROW(device()->build(request), NotSupported);
    return;
  }
  const BuildResult built = device()->build(request);
  ASSERT_FALSE(built.image.code.empty());
  EXPECT_EQ(built.module->kernel("scale").parameters().size(), 3u);
  const auto again = device()->load(built.image);
  EXPECT_EQ(again->kernel("scale").name(), "scale");
}

TEST_P(DeviceTest, ThreadsMayBuildAtOnce) {
  if (!info().builds_text) GTEST_SKIP() << info().id << " does not compile text";
  on_threads(2, [&](int thread) {
    const std::string text =
        "KERNEL k" + std::to_string(thread) + "(GLOBAL int* a) { a[INDEX] = 1; }";
    const BuildResult built = device()->build({in_language(info().language, text)});
    EXPECT_EQ(built.module->kernel_names().size(), 1u);
  });
}

TEST_P(DeviceTest, FailingBuildIsACompileError) {
  if (!info().builds_text) GTEST_SKIP() << info().id << " does not compile text";
  EXPECT_THROW(device()->build({"this is no kernel"}), CompileError);
}

}  // namespace
}  // namespace treadle::device
