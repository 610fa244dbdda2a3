// SPDX-License-Identifier: MIT
#include "treadle/cuda/device.hpp"

#include <gtest/gtest.h>

#include <set>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"

namespace treadle::cuda {
namespace {

TEST(DeviceAttributes, EachHasOneNameInUpperCase) {
  std::set<std::string_view> names;
  int previous = 0;
  for (const auto& [attribute, name] : device_attributes()) {
    EXPECT_GT(static_cast<int>(attribute), previous) << name;
    previous = static_cast<int>(attribute);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), device_attributes().size());
  EXPECT_TRUE(names.contains("MAX_THREADS_PER_BLOCK"));
}

TEST(Device, AValueEqualByDriverAndNumber) {
  EXPECT_EQ(fake::device(), Device(fake::driver(), 0));
  EXPECT_NE(fake::device(), Device(fake::driver(), 1));
  EXPECT_NE(fake::device(), Device(Driver(fake::make_table()), 0));
  EXPECT_FALSE(fake::device().can_access_peer(Device(Driver(fake::make_table()), 1)));
}

TEST(Device, TheTargetIsWhatToCompileFor) {
  EXPECT_EQ(fake::device().target(), "sm_90");
  auto table = fake::make_table();
  table->provider = Provider::cpu;
  EXPECT_EQ(Device(Driver(table), 0).target(), "cpu");
}

TEST(Device, AnUnknownAttributeIsNamedInTheError) {
  try {
    fake::device().attribute(DeviceAttribute::l2_cache_size);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.detail(), "L2_CACHE_SIZE");
  }
}

class OnDevice : public OnEachProvider {};

TEST_P(OnDevice, DescribesItself) {
  const Device& device = this->device();
  EXPECT_FALSE(device.name().empty());
  EXPECT_FALSE(device.pci_bus_id().empty());
  EXPECT_GT(device.total_memory(), std::size_t{1} << 26);
  EXPECT_GE(device.compute_capability(), (ComputeCapability{5, 0}));
  EXPECT_EQ(device.attribute(DeviceAttribute::warp_size), 32);
  EXPECT_EQ(Device::by_pci_bus_id(device.pci_bus_id(), device.driver()), device);
  EXPECT_NE(device.uuid(), (std::array<std::uint8_t, 16>{}));
}

INSTANTIATE_TEST_SUITE_P(Providers, OnDevice, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
