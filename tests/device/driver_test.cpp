// SPDX-License-Identifier: MIT
#include "treadle/device/driver.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class DriverTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, DriverTest, each_device(), device_test_name);

TEST_P(DriverTest, DeviceSaysWhatItIs) {
  EXPECT_EQ(info().id, GetParam());
  EXPECT_NE(info().name, "");
  EXPECT_NE(info().runtime, "");
  EXPECT_GT(info().memory_bytes, 0u);
  EXPECT_GT(info().max_group_items, 0u);
  EXPECT_GE(info().max_group_size.x, 1u);
  EXPECT_GE(info().max_groups.x, 65535u);
  EXPECT_GT(info().compute_units, 0u);
}

TEST_P(DriverTest, DeviceIsCompiledForInExactlyOneWay) {
  EXPECT_NE(info().builds_text, !info().target.empty());
  EXPECT_EQ(info().builds_text, !info().build_identity.empty());
}

TEST_P(DriverTest, TwoLookupsGiveOneObject) { EXPECT_EQ(find_device(GetParam()), device()); }

TEST_P(DriverTest, ThreadsMayLookDevicesUpAtOnce) {
  on_threads(4, [&](int) { EXPECT_EQ(find_device(GetParam()), device()); });
}

}  // namespace
}  // namespace treadle::device
