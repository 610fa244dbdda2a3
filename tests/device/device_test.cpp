// SPDX-License-Identifier: MIT
#include "treadle/device/device.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <tuple>
#include <utility>

#include "device/each_device.hpp"
#include "treadle/process/warning.hpp"

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
    EXPECT_EQ(a.handle % info().limits.allocation_alignment, 0u);
    EXPECT_EQ(b.handle % info().limits.allocation_alignment, 0u);
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
    device()->adopt(adopted, 8);
    device()->forget(adopted);
    stream().copy_in(adopted, values.data(), 16);  // adopted twice, forgotten once
    stream().synchronize();
    device()->forget(adopted);
    EXPECT_THROW(stream().copy_in(adopted, values.data(), 16), InvalidState);
    device()->forget(adopted);  // once too often is no error
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
  const bool is_null = info().kind == DeviceKind::null;
  std::shared_ptr<Device> own = is_null ? make_null_device() : device();
  const std::weak_ptr<Device> watched = own;
  auto stream = own->make_stream();
  auto event = own->make_event();
  auto buffer = std::make_unique<Buffer>(own, 64);
  own.reset();
  stream->record(*event);
  buffer->copy_from(std::vector<int>{1, 2, 3});
  event->synchronize();
  if (is_null) {
    EXPECT_FALSE(watched.expired());
    stream.reset(), event.reset(), buffer.reset();
    EXPECT_TRUE(watched.expired());
  }
}

TEST_P(DeviceTest, FreeAndTotalBytesAreTold) {
  const MemoryInfo before = device()->memory_info();
  EXPECT_EQ(before.total_bytes, info().memory_bytes);
  EXPECT_LE(before.free_bytes, before.total_bytes);
  if (before.is_measured) return;  // other processes allocate too
  const Buffer buffer(device(), 1 << 20);
  EXPECT_EQ(device()->memory_info().free_bytes, before.free_bytes - (1 << 20));
}

TEST_P(DeviceTest, AddressesAreKnownByWhatTheyAre) {
  const Buffer buffer(device(), 1000);
  const AddressInfo found = device()->address_info(buffer.location().handle);
  EXPECT_EQ(found.kind, AddressInfo::Kind::device);
  EXPECT_EQ(found.location, buffer.location());
  EXPECT_GE(found.size_bytes, 1000u);
  EXPECT_TRUE(found.is_own);
  int on_host = 0;
  const auto host = device()->address_info(reinterpret_cast<std::uint64_t>(&on_host));
  EXPECT_EQ(host.kind, AddressInfo::Kind::unknown);
  EXPECT_EQ(device()->address_info(0).kind, AddressInfo::Kind::unknown);
  if (info().language != Language::cuda_c || info().kind == DeviceKind::null) return;
  const AddressInfo inside = device()->address_info(buffer.location().handle + 100);
  EXPECT_EQ(inside.location, buffer.location());
  EXPECT_EQ(inside.offset, 100u);
  const Buffer locked = Buffer::page_locked(device(), 64);
  EXPECT_EQ(device()->address_info(locked.location().handle).kind, AddressInfo::Kind::page_locked);
}

TEST_P(DeviceTest, LimitsTraitsAndPerformanceFitEachOther) {
  const auto& [limits, traits, performance] =
      std::tie(info().limits, info().traits, info().performance);
  EXPECT_GE(limits.opt_in_local_memory_bytes, limits.local_memory_bytes);
  EXPECT_GE(limits.max_allocation_bytes, std::uint64_t{1} << 20);
  EXPECT_GE(limits.parameter_bytes, 1024u);
  EXPECT_GE(limits.allocation_alignment, 1u);
  EXPECT_GE(limits.offset_alignment, 1u);
  EXPECT_LE(limits.greatest_priority, limits.least_priority);
  EXPECT_EQ(traits.schedule == Schedule::narrow, info().kind == DeviceKind::cpu);
  EXPECT_GE(performance.compute_units, 1u);
  EXPECT_EQ(performance.bandwidth_bytes_per_s > 0, performance.bandwidth != Figure::unknown);
}

TEST_P(DeviceTest, WhatIsLeftBehindIsFreedWithTheDeviceAndReported) {
  std::vector<std::string> warnings;
  const auto restore =
      set_warning_handler([&](std::string_view text) { warnings.emplace_back(text); });
  {
    const auto own = make_null_device();
    own->allocate(100);
    own->allocate_as(MemoryKind::page_locked, 20);
  }
  set_warning_handler(restore);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("2 allocations, 120 bytes"), std::string::npos) << warnings[0];
}

/// One of many types that a device keeps; says when it ends.
template <int number>
struct Kept {
  Kept(Device& device, std::vector<int>& ended) : device(device), ended(ended) {}
  ~Kept() { ended.push_back(number); }
  Device& device;
  std::vector<int>& ended;
};
struct KeptOfDevice {
  explicit KeptOfDevice(Device& device) : device(device) {}
  Device& device;
};
struct KeptAlone {
  int value = 1;
};

template <int number>
Kept<number>& kept(Device& device, std::vector<int>& ended) {
  return device.slot<Kept<number>>([&] { return std::make_shared<Kept<number>>(device, ended); });
}

TEST_P(DeviceTest, ASlotHoldsOneObjectOfItsType) {
  KeptOfDevice& mine = device()->slot<KeptOfDevice>();
  EXPECT_EQ(&mine.device, device().get());
  device()->slot<KeptAlone>().value = 7;
  EXPECT_EQ(device()->slot<KeptAlone>().value, 7);
  EXPECT_EQ(&device()->slot<KeptOfDevice>(), &mine);
  const auto other = make_null_device();
  EXPECT_EQ(other->slot<KeptAlone>().value, 1);
}

TEST_P(DeviceTest, SlotsOfAnyNumberEndInTheReverseOfTheirMaking) {
  std::vector<int> ended;
  {
    const auto own = make_null_device();
    // More types than have a fast place; the first of them makes the others.
    own->slot<Kept<-1>>([&] {
      [&]<int... i>(std::integer_sequence<int, i...>) {
        (kept<i>(*own, ended), ...);
        EXPECT_TRUE(((&kept<i>(*own, ended) == &kept<i>(*own, ended)) && ...));
      }(std::make_integer_sequence<int, 40>());
      return std::make_shared<Kept<-1>>(*own, ended);
    });
    EXPECT_TRUE(ended.empty());
  }
  ASSERT_EQ(ended.size(), 41u);
  EXPECT_EQ(ended.front(), -1);
  EXPECT_TRUE(std::ranges::is_sorted(ended.begin() + 1, ended.end(), std::greater()));
}

TEST_P(DeviceTest, ASlotThatCouldNotBeFilledIsTriedAgain) {
  const auto own = make_null_device();
  const auto refuse = []() -> std::shared_ptr<KeptAlone> { throw InvalidState("not yet"); };
  EXPECT_THROW(own->slot<KeptAlone>(refuse), InvalidState);
  EXPECT_EQ(own->slot<KeptAlone>().value, 1);
}

TEST_P(DeviceTest, ThreadsThatAskForASlotAtOnceFillItOnce) {
  const auto own = make_null_device();
  std::atomic<int> made = 0;
  on_threads(4, [&](int) {
    own->slot<KeptAlone>([&] {
      ++made;
      return std::make_shared<KeptAlone>();
    });
  });
  EXPECT_EQ(made, 1);
}

TEST_P(DeviceTest, LoadingNothingOrGarbageIsRefused) {
  EXPECT_THROW(device()->load({}), InvalidArgument);
  EXPECT_THROW(device()->load({.code = std::vector<std::byte>(300, std::byte{0x5A})}), DeviceError);
}

TEST_P(DeviceTest, BuildCompilesOrSaysWhoDoes) {
  const BuildRequest request{in_language(info().language, kernels_text)};
  if (!info().traits.builds_text) {
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
  if (!info().traits.builds_text) GTEST_SKIP() << info().id << " does not compile text";
  on_threads(2, [&](int thread) {
    const std::string text =
        "KERNEL k" + std::to_string(thread) + "(GLOBAL int* a) { a[INDEX] = 1; }";
    const BuildResult built = device()->build({in_language(info().language, text)});
    EXPECT_EQ(built.module->kernel_names().size(), 1u);
  });
}

TEST_P(DeviceTest, FailingBuildIsACompileError) {
  if (!info().traits.builds_text) GTEST_SKIP() << info().id << " does not compile text";
  EXPECT_THROW(device()->build({"this is no kernel"}), CompileError);
}

}  // namespace
}  // namespace treadle::device
