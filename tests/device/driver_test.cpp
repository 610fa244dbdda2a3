// SPDX-License-Identifier: MIT
#include "treadle/device/driver.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class DriverTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, DriverTest, each_device(), device_test_name);

TEST_P(DriverTest, DeviceSaysWhatItIs) {
  EXPECT_EQ(info().id, plain_id(GetParam()));
  EXPECT_EQ(device()->is_adopted(), is_adopted());
  EXPECT_NE(info().name, "");
  EXPECT_NE(info().runtime, "");
  EXPECT_GT(info().memory_bytes, 0u);
  EXPECT_GT(info().limits.max_group_items, 0u);
  EXPECT_GE(info().limits.max_group_size.x, 1u);
  EXPECT_GE(info().limits.max_groups.x, 65535u);
  EXPECT_GT(info().performance.compute_units, 0u);
}

TEST_P(DriverTest, DeviceIsCompiledForInExactlyOneWay) {
  EXPECT_NE(info().traits.builds_text, !info().target.empty());
  EXPECT_EQ(info().traits.builds_text, !info().build_identity.empty());
}

TEST_P(DriverTest, TwoLookupsGiveOneNativeObject) {
  const auto native = find_device(plain_id(GetParam()));
  EXPECT_EQ(find_device(plain_id(GetParam())), native);
  EXPECT_EQ(native == device(), !is_adopted());
}

TEST_P(DriverTest, ThreadsMayLookDevicesUpAtOnce) {
  const auto native = find_device(plain_id(GetParam()));
  on_threads(4, [&](int) { EXPECT_EQ(find_device(plain_id(GetParam())), native); });
}

}  // namespace
}  // namespace treadle::device
