// SPDX-License-Identifier: MIT
#include "treadle/device/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::device {
namespace {

TEST(Registry, ListsEachDeviceOnceTheBestFirst) {
  std::set<std::string> ids;
  DeviceKind before = DeviceKind::gpu;
  for (const auto& device : devices()) {
    EXPECT_TRUE(ids.insert(device->info().id).second) << device->info().id;
    if (device->info().kind == DeviceKind::gpu) {
      EXPECT_EQ(before, DeviceKind::gpu);
    }
    before = device->info().kind;
  }
  EXPECT_TRUE(ids.contains("cpu"));
  EXPECT_FALSE(ids.contains("null"));
}

TEST(Registry, FindsWhatItLists) {
  for (const auto& device : devices()) EXPECT_EQ(find_device(device->info().id), device);
}

TEST(Registry, FindsByTheBeginningOfAnId) {
  EXPECT_EQ(find_device("cpu")->info().id, "cpu");
  EXPECT_EQ(find_device("cpu:0")->info().id, "cpu");
  EXPECT_EQ(find_device("null")->info().kind, DeviceKind::null);
}

TEST(Registry, UnknownDeviceListsWhatThereIs) {
  for (const char* id : {"cpu:1", "quantum", "cuda:99", "", "null:7", "opencl:9:9", "cpux"}) {
    try {
      find_device(id);
      FAIL() << id << " was found";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("\"" + std::string(id) + "\""));
      EXPECT_THAT(error.what(), testing::HasSubstr("cpu ("));
    }
  }
}

TEST(Registry, DefaultIsWhatTheEnvironmentNamesOrTheBest) {
  const auto chosen = default_device();
  if (settings().device.empty()) {
    EXPECT_EQ(chosen, devices().front());
  } else {
    EXPECT_EQ(chosen, find_device(settings().device));
  }
}

TEST(Registry, DefaultIsKeptUntilItIsReleased) {
  const std::weak_ptr<Device> kept = default_device();
  EXPECT_FALSE(kept.expired());
  EXPECT_EQ(default_device(), kept.lock());
  std::thread([&] { EXPECT_EQ(default_device(), kept.lock()); }).join();
  release_default_device();
  EXPECT_TRUE(kept.expired());
}

TEST(Registry, DefaultIsKeptAgainThoughSomebodyHeldItWhenItWasReleased) {
  auto held = default_device();
  const std::weak_ptr<Device> watched = held;
  release_default_device();
  EXPECT_EQ(default_device(), held);
  held.reset();
  EXPECT_FALSE(watched.expired());
  release_default_device();
  EXPECT_TRUE(watched.expired());
}

TEST(Registry, MissingRuntimesHaveReasons) {
  for (const std::string& text : missing_runtimes())
    EXPECT_GT(text.size(), text.find(": ") + 2) << text;
}

TEST(Registry, DevicesEndWhenNobodyHoldsThem) {
  const std::weak_ptr<Device> watched = find_device("null");
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace treadle::device
