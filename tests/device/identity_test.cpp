// SPDX-License-Identifier: MIT
#include "treadle/device/identity.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class IdentityTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, IdentityTest, each_device(), device_test_name);

TEST_P(IdentityTest, TellsWhichDeviceItIs) {
  const DeviceIdentity identity = identity_of(*device());
  EXPECT_EQ(identity.name, info().name);
  EXPECT_FALSE(identity.architecture.empty());
  EXPECT_FALSE(identity.driver.empty());
  if (!info().target.empty()) {
    EXPECT_EQ(identity.architecture, info().target);
    EXPECT_EQ(identity.uuid.substr(0, 4), "GPU-");
  }
  EXPECT_EQ(identity_of(*device()).uuid, identity.uuid);
}

}  // namespace
}  // namespace treadle::device
