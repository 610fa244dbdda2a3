// SPDX-License-Identifier: MIT
#include "treadle/device/current.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class CurrentTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, CurrentTest, each_device(), device_test_name);

TEST_P(CurrentTest, IsTheDefaultWhereNothingWasSaid) {
  const auto before = default_device();
  EXPECT_EQ(current_device(), before);
  EXPECT_EQ(current_stream(), before->default_stream());
}

TEST_P(CurrentTest, ScopesNest) {
  {
    const DeviceScope with_device(device());
    EXPECT_EQ(current_device(), device());
    EXPECT_EQ(current_stream(), device()->default_stream());
    EXPECT_EQ(scoped_stream(*device()), nullptr);
    {
      const StreamScope with_stream(shared_stream());
      EXPECT_EQ(current_device(), device());
      EXPECT_EQ(current_stream(), shared_stream());
      EXPECT_EQ(scoped_stream(*device()), shared_stream().get());
      EXPECT_EQ(scoped_stream(*foreign()), nullptr);
      const DeviceScope with_other(foreign());
      EXPECT_EQ(current_stream(), foreign()->default_stream());
    }
    EXPECT_EQ(current_stream(), device()->default_stream());
  }
  EXPECT_EQ(current_device(), default_device());
}

TEST_P(CurrentTest, WithoutASharePointsAtTheSame) {
  const auto expect_same = [] {
    EXPECT_EQ(&current().device, current_device().get());
    EXPECT_EQ(&current().stream, current_stream().get());
  };
  on_threads(2, [&](int) {  // a thread that asks outside of scopes keeps the device until it ends
    expect_same();
    {
      const DeviceScope with_device(device());
      expect_same();
      const StreamScope with_stream(shared_stream());
      expect_same();
    }
    expect_same();
  });
}

TEST_P(CurrentTest, BelongsToItsThread) {
  const StreamScope here(shared_stream());
  on_threads(4, [&](int) {
    EXPECT_EQ(current_device(), default_device());
    const DeviceScope there(foreign());
    EXPECT_EQ(current_device(), foreign());
  });
  EXPECT_EQ(current_stream(), shared_stream());
}

TEST_P(CurrentTest, NothingCannotBeCurrent) {
  EXPECT_THROW(DeviceScope(nullptr), InvalidArgument);
  EXPECT_THROW(StreamScope(nullptr), InvalidArgument);
  EXPECT_THROW(pop_current(), InvalidState);
}

}  // namespace
}  // namespace treadle::device
