// SPDX-License-Identifier: MIT
#include "treadle/device/occupancy.hpp"

#include <gmock/gmock.h>

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

using testing::HasSubstr;

class OccupancyTest : public OnEachDevice {
 protected:
  Kernel kernel() const {
    return kernel::Program(device(), in_language(info().language,
                                                 "KERNEL twice(GLOBAL int* a) { a[INDEX] *= 2; }"))
        .kernel("twice");
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, OccupancyTest, each_native_device(), device_test_name);

TEST_P(OccupancyTest, IsToldForEveryGroupSizeWhereTheRunTimeTells) {
  const Kernel twice = kernel();
  const auto all = occupancies_of(twice);
  ASSERT_EQ(!all.empty(), info().traits.kernel_occupancy);
  if (all.empty()) {
    EXPECT_FALSE(occupancy_of(twice, 1));
    return;
  }
  EXPECT_EQ(all.back().group_items, twice.max_group_items());
  for (const Occupancy& each : all) {
    EXPECT_EQ(each.groups, twice.groups_per_compute_unit(each.group_items));
    EXPECT_GE(each.fraction, 0);
    EXPECT_LE(each.fraction, 1);
  }
}

// A group that takes most of the local memory of a compute unit is alone there.
TEST_P(OccupancyTest, LocalMemoryIsALimit) {
  if (!info().traits.kernel_occupancy || !runs_kernels() || info().kind != DeviceKind::gpu) return;
  const auto found = occupancy_of(kernel(), 32, info().limits.local_memory_bytes);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->limit, OccupancyLimit::local_memory);
}

TEST_P(OccupancyTest, IsSaidInWords) {
  const std::string text = explain(kernel());
  EXPECT_THAT(text, HasSubstr("kernel twice on " + info().id));
  EXPECT_THAT(text, HasSubstr("a work-item needs "));
  EXPECT_THAT(text, HasSubstr(info().traits.kernel_occupancy ? "occupancy  limit" : "is not told"));
}

TEST(OccupancyLimitTest, HasNames) {
  EXPECT_EQ(occupancy_limit_name(OccupancyLimit::work_items), "work-items");
  EXPECT_EQ(occupancy_limit_name(OccupancyLimit::groups), "groups");
}

}  // namespace
}  // namespace treadle::device
