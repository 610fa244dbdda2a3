// SPDX-License-Identifier: MIT
#include "treadle/cuda/pointer_attributes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::cuda {
namespace {

class PointerAttributes : public OnEachProvider {
 protected:
  PointerInfo info(DevicePointer address) const { return pointer_info(address, device().driver()); }
  std::uint64_t ask(PointerAttribute attribute, DevicePointer address) const {
    return pointer_attribute(attribute, address, device().driver());
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, PointerAttributes, each_provider, provider_name);

TEST_P(PointerAttributes, AnAddressInDeviceMemoryTellsItsAllocation) {
  const DeviceMemory memory(4096);
  const PointerInfo found = info(memory.address() + 100);
  EXPECT_EQ(found.type, MemoryType::device);
  EXPECT_FALSE(found.is_managed);
  EXPECT_EQ(found.device_ordinal, device().raw());
  EXPECT_EQ(found.context, context().raw());
  EXPECT_EQ(found.device_pointer, memory.address() + 100);
  EXPECT_EQ(found.host_pointer, nullptr);
  EXPECT_EQ(found.range_start, memory.address());
  EXPECT_GE(found.range_bytes, 4096u);
  EXPECT_NE(found.buffer_id, 0u);
}

TEST_P(PointerAttributes, MemoryOfTheHostHasAnAddressForBoth) {
  const HostMemory memory(4096, HostMemoryFlags::device_map);
  const PointerInfo found = pointer_info(memory.data() + 8, device().driver());
  EXPECT_EQ(found.type, MemoryType::host);
  EXPECT_EQ(found.host_pointer, memory.data() + 8);
  EXPECT_EQ(found.device_pointer, memory.device_pointer() + 8);
}

TEST_P(PointerAttributes, ManagedMemoryIsToldAsSuch) {
  const ManagedMemory memory(4096);
  const PointerInfo found = info(memory.address());
  EXPECT_TRUE(found.is_managed);
  EXPECT_EQ(found.host_pointer, memory.data());
  EXPECT_EQ(found.device_pointer, memory.address());
}

TEST_P(PointerAttributes, MemoryThatNobodyRegisteredIsUnknown) {
  const std::vector<int> plain(1000);
  const PointerInfo found = pointer_info(plain.data(), device().driver());
  EXPECT_EQ(found.type, MemoryType::none);
  EXPECT_FALSE(found.is_managed);
  EXPECT_EQ(found.context, nullptr);
  EXPECT_EQ(found.range_bytes, 0u);
  EXPECT_THROW(ask(PointerAttribute::memory_type, reinterpret_cast<DevicePointer>(plain.data())),
               DeviceError);
}

TEST_P(PointerAttributes, NumbersOfBuffersAreNotUsedTwice) {
  const DeviceMemory first(256);
  const std::uint64_t id = info(first.address()).buffer_id;
  std::uint64_t freed_id = 0;
  {
    const DeviceMemory second(256);
    freed_id = info(second.address()).buffer_id;
  }
  const DeviceMemory third(256);
  EXPECT_NE(freed_id, id);
  EXPECT_NE(info(third.address()).buffer_id, id);
  EXPECT_NE(info(third.address()).buffer_id, freed_id);
}

TEST_P(PointerAttributes, EachIsANumber) {
  const DeviceMemory memory(1 << 20);
  const ManagedMemory managed(64);
  const DevicePointer inside = memory.address() + 4;
  EXPECT_EQ(ask(PointerAttribute::memory_type, inside), 2u);
  EXPECT_EQ(ask(PointerAttribute::range_start, inside), memory.address());
  EXPECT_EQ(ask(PointerAttribute::range_size, inside), std::size_t{1} << 20);
  EXPECT_EQ(ask(PointerAttribute::is_managed, inside), 0u);
  EXPECT_EQ(ask(PointerAttribute::is_managed, managed.address()), 1u);
  EXPECT_EQ(ask(PointerAttribute::is_legacy_ipc_capable, inside), 1u);
  EXPECT_EQ(ask(PointerAttribute::is_mapped, inside), 1u);
  EXPECT_EQ(ask(PointerAttribute::context, inside),
            reinterpret_cast<std::uintptr_t>(context().raw()));
}

TEST_P(PointerAttributes, DeviceMemoryHasNoAddressOnTheHost) {
  const DeviceMemory memory(64);
  try {
    ask(PointerAttribute::host_pointer, memory.address());
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_NE(error.message().find("attribute 4 of address"), std::string::npos) << error.message();
  }
}

TEST_P(PointerAttributes, BlockingCopiesCanBeMadeToWait) {
  const DeviceMemory memory(64);
  set_sync_memops(memory.address(), true);
  EXPECT_EQ(ask(PointerAttribute::sync_memops, memory.address()), 1u);
  EXPECT_THROW(set_sync_memops(0, true), InvalidArgument);
}

TEST(PointerInfo, ADriverThatCannotTellIsNamed) {
  EXPECT_THROW(pointer_info(DevicePointer{64}, fake::driver()), NotSupported);
}

}  // namespace
}  // namespace treadle::cuda
