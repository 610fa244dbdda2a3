// SPDX-License-Identifier: MIT
#include "treadle/cuda/managed_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {

/// For the messages of what fails.
static void PrintTo(const MemoryLocation& location, std::ostream* out) {
  *out << "place of kind " << static_cast<int>(location.kind) << ", number " << location.id;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Managed : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (!IsSkipped() && device().attribute(DeviceAttribute::concurrent_managed_access) == 0)
      GTEST_SKIP() << "the device does not share managed memory with the host while it works";
  }
  MemoryLocation here() const { return MemoryLocation::of(device()); }
};
INSTANTIATE_TEST_SUITE_P(Providers, Managed, each_provider, provider_name);

TEST_P(Managed, NothingWasSaidOfNewMemory) {
  const ManagedMemory memory(1 << 16);
  const ManagedAdvice advice = managed_advice(memory);
  EXPECT_FALSE(advice.read_mostly);
  EXPECT_EQ(advice.preferred, std::nullopt);
  EXPECT_EQ(advice.last_prefetch, std::nullopt);
  EXPECT_THAT(advice.accessed_by, IsEmpty());
}

TEST_P(Managed, AdviceIsTold) {
  const ManagedMemory memory(1 << 16);
  advise(memory, MemoryAdvice::set_read_mostly);
  advise(memory, MemoryAdvice::set_preferred_location, here());
  advise(memory, MemoryAdvice::set_accessed_by, MemoryLocation::host());
  ManagedAdvice advice = managed_advice(memory);
  EXPECT_TRUE(advice.read_mostly);
  EXPECT_EQ(advice.preferred, here());
  EXPECT_THAT(advice.accessed_by, ElementsAre(MemoryLocation::host()));

  advise(memory, MemoryAdvice::unset_read_mostly);
  advise(memory, MemoryAdvice::unset_preferred_location);
  advise(memory, MemoryAdvice::unset_accessed_by, MemoryLocation::host());
  advice = managed_advice(memory);
  EXPECT_FALSE(advice.read_mostly);
  EXPECT_EQ(advice.preferred, std::nullopt);
  EXPECT_THAT(advice.accessed_by, IsEmpty());
}

TEST_P(Managed, AdviceMayBeOfAPart) {
  constexpr std::size_t part = 4 << 20;  // whole pages, whatever their size
  const ManagedMemory memory(2 * part);
  const ManagedRange first{memory.address(), part}, second{memory.address() + part, part};
  advise(first, MemoryAdvice::set_read_mostly);
  advise(first, MemoryAdvice::set_preferred_location, MemoryLocation::host());
  advise(second, MemoryAdvice::set_preferred_location, here());
  EXPECT_TRUE(managed_advice(first).read_mostly);
  EXPECT_FALSE(managed_advice(second).read_mostly);
  EXPECT_EQ(managed_advice(first).preferred, MemoryLocation::host());
  EXPECT_EQ(managed_advice(second).preferred, here());
  EXPECT_FALSE(managed_advice(memory).read_mostly);
  EXPECT_EQ(managed_advice(memory).preferred, std::nullopt) << "the halves differ";
}

TEST_P(Managed, PrefetchedMemoryKeepsItsContents) {
  ManagedMemory memory(1 << 20);
  memory.as<int>()[1000] = 17;
  const Stream stream;
  prefetch(memory, here(), stream);
  DeviceMemory copy(memory.size_bytes());
  copy_on_device_async(copy.address(), memory.address(), memory.size_bytes(), stream);
  EXPECT_EQ(managed_advice(memory).last_prefetch, here());
  prefetch(memory, MemoryLocation::host(), stream);
  stream.synchronize();
  EXPECT_EQ(managed_advice(memory).last_prefetch, MemoryLocation::host());
  EXPECT_EQ(memory.as<int>()[1000], 17);
  std::vector<int> values(1001);
  copy.copy_to(values);
  EXPECT_EQ(values[1000], 17);
  prefetch(memory, here());  // on the default stream
}

TEST_P(Managed, ManyRangesAreOneCall) {
  const ManagedMemory first(1 << 20), second(1 << 16);
  const std::array<ManagedRange, 2> ranges = {first, second};
  const Stream stream;
  try {
    prefetch(ranges, here(), stream);
    EXPECT_EQ(managed_advice(second).last_prefetch, here());
    discard(ranges, stream);
    discard_and_prefetch(ranges, MemoryLocation::host(), stream);
    EXPECT_EQ(managed_advice(first).last_prefetch, MemoryLocation::host());
  } catch (const NotSupported&) {
    EXPECT_LT(device().driver().version(), 13000);
  }
  first.as<int>()[3] = 5;  // as new after it was discarded
  stream.synchronize();
  EXPECT_EQ(first.as<int>()[3], 5);
  prefetch(std::span<const ManagedRange>{}, here(), stream);  // nothing to do
}

TEST_P(Managed, OtherMemoryAndOtherPlacesAreRefused) {
  const DeviceMemory linear(4096);
  const ManagedMemory memory(4096);
  const ManagedRange of_linear{linear.address(), 4096};
  EXPECT_THROW(prefetch(of_linear, here()), DeviceError);
  EXPECT_THROW(advise(of_linear, MemoryAdvice::set_read_mostly), DeviceError);
  EXPECT_THROW(managed_advice(of_linear), DeviceError);
  EXPECT_THROW(prefetch(memory, {MemoryLocation::Kind::device, 1000}), DeviceError);
  EXPECT_THROW(prefetch(memory, {}), DeviceError);
  EXPECT_THROW(prefetch({memory.address(), 0}, here()), DeviceError);
  EXPECT_THROW(prefetch({memory.address(), static_cast<std::size_t>(-4)}, here()), InvalidArgument);
  EXPECT_THROW(advise({0, 16}, MemoryAdvice::set_read_mostly), InvalidArgument);
  EXPECT_THROW(advise(memory, static_cast<MemoryAdvice>(99)), DeviceError);
  EXPECT_THROW(advise(memory, MemoryAdvice::set_accessed_by, MemoryLocation::host_node(0)),
               DeviceError);
  const std::array<ManagedRange, 1> one = {memory};
  EXPECT_THROW(prefetch(one, here(), {}), InvalidArgument);
  ManagedMemory freed(64);
  freed.free();
  EXPECT_THROW(prefetch(freed, here()), InvalidState);
}

TEST(ManagedMemoryCalls, ADriverThatLacksThemIsNamed) {
  fake::reset();
  const auto current = Context::make_current(fake::device());
  const ManagedMemory memory(64);
  EXPECT_THROW(prefetch(memory, MemoryLocation::host()), NotSupported);
  EXPECT_THROW(advise(memory, MemoryAdvice::set_read_mostly), NotSupported);
  EXPECT_THROW(managed_advice(memory), NotSupported);
}

}  // namespace
}  // namespace treadle::cuda
