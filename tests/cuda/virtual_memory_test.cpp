// SPDX-License-Identifier: MIT
#include "treadle/cuda/virtual_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>
#include <optional>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/pointer_attributes.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/census.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

long alive(const char* kind) {
  const auto all = live_objects();
  const auto found = all.find(kind);
  return found == all.end() ? 0 : found->second;
}

class Virtual : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    if (device().attribute(DeviceAttribute::virtual_address_management_supported) == 0)
      GTEST_SKIP() << "the device has no virtual memory management";
    unit_ = allocation_granularity(here(), Granularity::minimum, SharedAs::nothing, driver());
  }
  const Driver& driver() const { return device().driver(); }
  MemoryLocation here() const { return MemoryLocation::of(device()); }
  std::size_t unit() const { return unit_; }
  PhysicalMemory physical(std::size_t units, SharedAs shared_as = SharedAs::nothing) const {
    return {units * unit_, here(), shared_as, driver()};
  }
  AddressReservation addresses(std::size_t units) const {
    return AddressReservation(units * unit_, 0, 0, driver());
  }
  static std::vector<int> counted(std::size_t bytes, int first = 0) {
    std::vector<int> values(bytes / sizeof(int));
    std::iota(values.begin(), values.end(), first);
    return values;
  }
  static std::vector<int> read(DevicePointer from, std::size_t bytes) {
    std::vector<int> values(bytes / sizeof(int));
    copy_to_host(values.data(), from, bytes);
    return values;
  }

 private:
  std::size_t unit_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Providers, Virtual, each_provider, provider_name);

TEST_P(Virtual, AnArrayGrowsWhereItIs) {
  const AddressReservation range = addresses(3);
  Mapping first = range.map(physical(1));
  first.set_access(here());
  EXPECT_EQ(first.address(), range.address());
  const std::vector<int> values = counted(unit());
  copy_to_device(first.address(), values.data(), unit());

  Mapping second = range.map(physical(2), unit());
  second.set_access(here());
  EXPECT_EQ(second.address(), range.address() + unit());
  fill32(second.address(), 7, 2 * unit() / 4);
  std::vector<int> expected = values;
  expected.resize(3 * unit() / sizeof(int), 7);
  EXPECT_EQ(read(range.address(), 3 * unit()), expected) << "one copy over both";
}

TEST_P(Virtual, MemoryIsSeenAtTwoAddresses) {
  const PhysicalMemory memory = physical(2);
  const AddressReservation one = addresses(2), other = addresses(2);
  const Mapping first = one.map(memory), second = other.map(memory);
  first.set_access(here());
  second.set_access(here());
  EXPECT_NE(first.address(), second.address());
  const std::vector<int> values = counted(2 * unit());
  copy_to_device(first.address(), values.data(), 2 * unit());
  context().synchronize();
  EXPECT_TRUE(read(second.address(), 2 * unit()) == values);
}

// CUDA says of the offset into the memory that it has to be 0 so far.
TEST_P(Virtual, PartOfTheMemoryIsMappedWhereTheDriverDoes) {
  const PhysicalMemory memory = physical(2);
  const AddressReservation one = addresses(2), other = addresses(1);
  const Mapping all = one.map(memory);
  all.set_access(here());
  try {
    const Mapping half = other.map(memory, 0, unit());
    half.set_access(here());
    EXPECT_EQ(half.size_bytes(), unit());
    const std::vector<int> values = counted(2 * unit());
    copy_to_device(all.address(), values.data(), 2 * unit());
    context().synchronize();
    const std::vector<int> seen = read(half.address(), unit());
    EXPECT_TRUE(
        std::equal(seen.begin(), seen.end(), values.begin() + static_cast<long>(seen.size())));
  } catch (const DeviceError& error) {
    EXPECT_EQ(GetParam(), Provider::nvidia) << error.message();
    EXPECT_THAT(error.message(), HasSubstr("from byte " + std::to_string(unit()) + " of it"));
  }
}

TEST_P(Virtual, MappedMemoryOutlivesItsHandleAndItsAddressesTheirObject) {
  std::optional<Mapping> mapping;
  const long memories = alive("cuda physical memory"), ranges = alive("cuda address reservation");
  {
    const AddressReservation range = addresses(1);
    mapping.emplace(range.map(physical(1)));
  }
  mapping->set_access(here());
  fill32(mapping->address(), 5, unit() / 4);
  EXPECT_EQ(read(mapping->address(), 8), (std::vector<int>{5, 5}));
  context().synchronize();
  mapping.reset();
  EXPECT_EQ(alive("cuda physical memory"), memories);
  EXPECT_EQ(alive("cuda address reservation"), ranges);
}

TEST_P(Virtual, AccessIsTold) {
  const AddressReservation range = addresses(1);
  const Mapping mapping = range.map(physical(1));
  EXPECT_EQ(mapping.access(here()), MemoryAccess::none);
  mapping.set_access(here());
  EXPECT_EQ(mapping.access(here()), MemoryAccess::read_write);
  mapping.set_access(here(), MemoryAccess::none);
  EXPECT_EQ(mapping.access(here()), MemoryAccess::none);
}

TEST_P(Virtual, AnAddressLeadsToItsMemory) {
  const AddressReservation range = addresses(2);
  const PhysicalMemory memory = physical(1);
  const Mapping mapping = range.map(memory, unit());
  mapping.set_access(here());
  EXPECT_EQ(PhysicalMemory::at(mapping.address() + 8, unit(), driver()).raw(), memory.raw());
  EXPECT_EQ(memory.location(), here());
  const PointerInfo info = pointer_info(mapping.address() + 8, driver());
  EXPECT_EQ(info.type, MemoryType::device);
  EXPECT_EQ(info.device_ordinal, device().raw());
  EXPECT_THROW(PhysicalMemory::at(range.address(), unit(), driver()), DeviceError);
}

TEST_P(Virtual, MemoryIsSharedByAFileDescriptor) {
  if (device().attribute(DeviceAttribute::handle_type_posix_file_descriptor_supported) == 0)
    GTEST_SKIP() << "the device shares no memory by file descriptors";
  const PhysicalMemory memory = physical(1, SharedAs::file_descriptor);
  const int descriptor = memory.export_file();
  ASSERT_GE(descriptor, 0);
  const PhysicalMemory again = PhysicalMemory::import_file(descriptor, unit(), driver());
  close(descriptor);
  const AddressReservation range = addresses(2);
  const Mapping ours = range.map(memory), theirs = range.map(again, unit());
  ours.set_access(here());
  theirs.set_access(here());
  fill32(ours.address(), 9, unit() / 4);
  context().synchronize();
  EXPECT_EQ(read(theirs.address(), 4), std::vector<int>{9});
  EXPECT_THROW(physical(1).export_file(), DeviceError);
  EXPECT_THROW(PhysicalMemory::import_file(-1, unit(), driver()), DeviceError);
}

TEST_P(Virtual, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(PhysicalMemory(unit() / 2, here(), SharedAs::nothing, driver()), DeviceError);
  EXPECT_THROW(PhysicalMemory(static_cast<std::size_t>(-4096), here(), SharedAs::nothing, driver()),
               InvalidArgument);
  EXPECT_THROW(
      PhysicalMemory(unit(), {MemoryLocation::Kind::device, 1000}, SharedAs::nothing, driver()),
      DeviceError);
  EXPECT_THROW(PhysicalMemory((std::size_t{1} << 50), here(), SharedAs::nothing, driver()),
               OutOfMemory);
  EXPECT_THROW(AddressReservation(0, 0, 0, driver()), DeviceError);
  EXPECT_THROW(AddressReservation(unit(), 3 * unit(), 0, driver()), DeviceError);
  const AddressReservation range = addresses(2);
  const PhysicalMemory memory = physical(2), small = physical(1);
  EXPECT_THROW(range.map(memory, unit()), InvalidArgument);
  EXPECT_THROW(range.map(memory, 0, 3 * unit()), InvalidArgument);
  EXPECT_THROW(range.map(memory, 0, unit(), 2 * unit()), InvalidArgument);
  EXPECT_THROW(range.map(small, 16), DeviceError);
  Mapping mapping = range.map(small);
  EXPECT_THROW(range.map(memory), DeviceError) << "something is mapped there";
  EXPECT_THROW(mapping.set_access({MemoryLocation::Kind::device, 1000}), DeviceError);
  mapping.unmap();
  EXPECT_THROW(mapping.unmap(), InvalidState);
  EXPECT_THROW(mapping.address(), InvalidState);
  EXPECT_THROW(mapping.set_access(here()), InvalidState);
  const Mapping in_its_place = range.map(memory);
  EXPECT_TRUE(in_its_place.is_mapped());
}

TEST_P(Virtual, MovesKeepTheMapping) {
  const AddressReservation range = addresses(2);
  Mapping first = range.map(physical(1)), second = range.map(physical(1), unit());
  const DevicePointer address = second.address();
  first = std::move(second);
  EXPECT_FALSE(second.is_mapped());
  EXPECT_EQ(first.address(), address);
  const Mapping where_the_first_was = range.map(physical(1));
  EXPECT_EQ(where_the_first_was.address(), range.address());
}

TEST(VirtualMemoryCalls, ADriverThatLacksThemIsNamed) {
  EXPECT_THROW(AddressReservation(4096, 0, 0, fake::driver()), NotSupported);
  EXPECT_THROW(PhysicalMemory(4096, MemoryLocation::host(), SharedAs::nothing, fake::driver()),
               NotSupported);
}

TEST_P(Virtual, ADmaBufferIsADescriptorOrRefused) {
  EXPECT_THROW(export_dma_buffer(0, 4096), InvalidArgument);
  const DeviceMemory memory(std::size_t{2} << 20);
  EXPECT_THROW(export_dma_buffer(memory.address(), 0), InvalidArgument);
  if (GetParam() == Provider::cpu) {
    EXPECT_THROW(export_dma_buffer(memory.address(), 4096), NotSupported);
    return;
  }
  if (device().attribute(DeviceAttribute::dma_buf_supported) == 0) GTEST_SKIP() << "no DMA buffers";
  const int descriptor = export_dma_buffer(memory.address(), std::size_t{2} << 20);
  EXPECT_GE(descriptor, 0);
  close(descriptor);
}

TEST_P(Virtual, WritesOfOtherDevicesAreWaitedForOrRefused) {
  EXPECT_THROW(flush_remote_writes(static_cast<RemoteWritesFor>(1)), InvalidArgument);
  if (GetParam() == Provider::cpu) {
    EXPECT_THROW(flush_remote_writes(), NotSupported);
  } else if ((device().attribute(DeviceAttribute::gpu_direct_rdma_flush_writes_options) & 1) != 0) {
    flush_remote_writes();
    flush_remote_writes(RemoteWritesFor::all_devices);
  } else {
    EXPECT_THROW(flush_remote_writes(), DeviceError);
  }
}

CUflushGPUDirectRDMAWritesScope flushed_for;

TEST(VirtualMemoryCalls, RemoteWritesAreFlushedForWhom) {
  fake::reset();
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuFlushGPUDirectRDMAWrites = [](CUflushGPUDirectRDMAWritesTarget target,
                                         CUflushGPUDirectRDMAWritesScope scope) {
    EXPECT_EQ(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX);
    flushed_for = scope;
    return CUDA_SUCCESS;
  };
  const auto current = Context::make_current(Device(Driver(table), 0));
  flush_remote_writes(RemoteWritesFor::all_devices);
  EXPECT_EQ(flushed_for, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES);
}

}  // namespace
}  // namespace treadle::cuda
