// SPDX-License-Identifier: MIT
#include "treadle/device/identity.hpp"

#include <initializer_list>
#include <utility>

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

TEST(ArchitectureAgeTest, OlderOnesOfTheMakeCountAndNewerOnesDoNot) {
  EXPECT_EQ(architecture_age("sm_90", "sm_100"), 10u);
  EXPECT_EQ(architecture_age("sm_90", "sm_90a"), 0u);
  EXPECT_EQ(architecture_age("cpu", "cpu"), 0u);
  EXPECT_EQ(architecture_age("", ""), 0u);
  for (const auto& [known, here] :
       std::initializer_list<std::pair<const char*, const char*>>{{"sm_100", "sm_90"},
                                                                  {"cpu", "sm_90"},
                                                                  {"sm_90", "cpu"},
                                                                  {"gfx90a", "gfx942"},
                                                                  {"sm_", "sm_90"}})
    EXPECT_EQ(architecture_age(known, here), std::nullopt) << known << here;
}

}  // namespace
}  // namespace treadle::device
