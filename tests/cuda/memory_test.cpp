// SPDX-License-Identifier: MIT
#include "treadle/cuda/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

std::vector<int> counted(std::size_t size) {
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Memory, RunningOutNamesSizeAndDevice) {
  fake::reset();
  const Context context = Context::create(fake::device());
  try {
    const DeviceMemory memory(context, std::size_t{1} << 50);
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.message(),
              "cuMemAlloc failed: out of memory - allocating 1125899906842624 bytes of device "
              "memory on Fake");
  }
}

TEST(Memory, ACopyLargerThanTheMemoryIsRefusedBeforeItStarts) {
  fake::reset();
  DeviceMemory memory(Context::create(fake::device()), 8);
  std::vector<int> host(3);
  try {
    memory.copy_from(host);
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_THAT(error.message(), HasSubstr("12 bytes, the device memory only 8"));
  }
  EXPECT_THROW(memory.copy_to(host), ShapeError);
  EXPECT_EQ(fake::state().count("cuMemcpyHtoD"), 0);
}

class OnMemory : public OnEachProvider {};

TEST_P(OnMemory, HoldsWhatWasCopiedIntoIt) {
  const auto source = counted(1000);
  DeviceMemory memory(source.size() * sizeof(int));
  memory.copy_from(source);
  std::vector<int> back(source.size());
  memory.copy_to(back);
  EXPECT_EQ(back, source);

  const Stream stream;
  std::vector<int> again(source.size());
  memory.copy_from_async(source, stream);
  memory.copy_to_async(again, stream);
  stream.synchronize();
  EXPECT_EQ(again, source);
}

TEST_P(OnMemory, P17_NegativeSizesAreErrors) {
  for (const std::ptrdiff_t negative : {-1, -4, -4096}) {
    const auto size = static_cast<std::size_t>(negative);
    EXPECT_THROW(DeviceMemory{size}, InvalidArgument);
    EXPECT_THROW(HostMemory{size}, InvalidArgument);
    EXPECT_THROW(ManagedMemory{size}, InvalidArgument);
    EXPECT_THROW(DeviceMemory::pitched(size, 4, 4), InvalidArgument);
    EXPECT_THROW(DeviceMemory::pitched(4, size, 4), InvalidArgument);
  }
}

TEST_P(OnMemory, ZeroBytesAreTheDriversError) {
  try {
    const DeviceMemory memory(0);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 1);
    EXPECT_EQ(error.call(), "cuMemAlloc");
  }
}

TEST_P(OnMemory, MoreThanThereIsIsOutOfMemory) {
  EXPECT_THROW(DeviceMemory(std::size_t{1} << 52), OutOfMemory);
  EXPECT_NO_THROW(DeviceMemory(16));
}

TEST_P(OnMemory, RowsOfPitchedMemoryAreAligned) {
  const DeviceMemory memory = DeviceMemory::pitched(100, 7, 4);
  EXPECT_GE(memory.pitch_bytes(), 100u);
  EXPECT_EQ(memory.pitch_bytes() % 32, 0u);
  EXPECT_EQ(memory.size_bytes(), 7 * memory.pitch_bytes());
}

TEST_P(OnMemory, AnAddressInsideLeadsToTheWhole) {
  const DeviceMemory memory(4096);
  const AddressRange range = address_range(memory.address() + 100);
  EXPECT_EQ(range.base, memory.address());
  EXPECT_EQ(range.size_bytes, 4096u);
}

TEST_P(OnMemory, PageLockedMemoryIsHostMemoryThatKernelsReach) {
  HostMemory host(4096, HostMemoryFlags::device_map);
  EXPECT_EQ(host.as<int>().size(), 1024u);
  std::iota(host.as<int>().begin(), host.as<int>().end(), 0);
  EXPECT_NE(host.device_pointer(), 0u);
  DeviceMemory memory(4096);
  copy_on_device(memory.address(), host.device_pointer(), 4096);
  std::vector<int> back(1024);
  memory.copy_to(back);
  EXPECT_EQ(back[1023], 1023);
  host.free();
  EXPECT_TRUE(host.is_freed());
  EXPECT_THROW(host.data(), InvalidState);
  EXPECT_THROW(host.free(), InvalidState);
}

TEST_P(OnMemory, RegisteredMemoryStaysTheCallers) {
  std::vector<int> values(100000);
  RegisteredMemory registered(values.data(), values.size() * sizeof(int));
  EXPECT_EQ(registered.data(), reinterpret_cast<std::byte*>(values.data()));
  registered.unregister();
  EXPECT_THROW(registered.unregister(), InvalidState);
}

TEST_P(OnMemory, ManagedMemoryHasOneAddressEverywhere) {
  ManagedMemory managed(4096);
  managed.as<int>()[3] = 42;
  DeviceMemory memory(4096);
  copy_on_device(memory.address(), managed.address(), 4096);
  std::vector<int> back(4);
  memory.copy_to(back);
  EXPECT_EQ(back[3], 42);
  managed.free();
  EXPECT_THROW(managed.free(), InvalidState);
}

TEST_P(OnMemory, IsReportedByItsContext) {
  const MemoryInfo info = context().memory_info();
  EXPECT_GT(info.total_bytes, 0u);
  EXPECT_LE(info.free_bytes, info.total_bytes);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnMemory, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
