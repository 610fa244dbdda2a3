// SPDX-License-Identifier: MIT
#include "treadle/device/null.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::device {
namespace {

using testing::ElementsAre;

TEST(NullDevice, RecordsWhatWasAskedOfIt) {
  const auto device = make_null_device();
  const auto stream = device->make_stream();
  const auto event = device->make_event();
  const auto module = device->build({"__kernel void twice(__global float* a, int n) {}"}).module;
  {
    const Buffer buffer(device, 64);
    stream->launch(module->kernel("twice"), {.groups = 4, .group_size = {16, 2}}, buffer, 16);
    stream->record(*event);
    stream->wait(*event);
    stream->synchronize();
  }
  EXPECT_THAT(null_calls(*device),
              ElementsAre("build 48", "allocate 64", "launch twice 4x1x1 16x2x1 2", "record",
                          "wait", "synchronize", "free 64"));
  clear_null_calls(*device);
  EXPECT_TRUE(null_calls(*device).empty());
}

TEST(NullDevice, RefusedWorkIsNotRecorded) {
  const auto device = make_null_device();
  const auto stream = device->make_stream();
  const auto module = device->build({"__kernel void twice(__global float* a, int n) {}"}).module;
  clear_null_calls(*device);
  EXPECT_THROW(stream->launch(module->kernel("twice"), {}), InvalidArgument);
  EXPECT_THROW(stream->copy_in({1, 0}, &device, 8), InvalidState);
  EXPECT_TRUE(null_calls(*device).empty());
}

TEST(NullDevice, HasAsMuchMemoryAsItIsGiven) {
  const auto device = make_null_device({.memory_bytes = 1000});
  EXPECT_EQ(device->info().memory_bytes, 1000u);
  const Buffer most(device, 600);
  try {
    const Buffer more(device, 401);
    FAIL() << "nothing was thrown";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("401 bytes"));
    EXPECT_THAT(error.what(), testing::HasSubstr("600 are in use"));
  }
  const Buffer rest(device, 400);
  EXPECT_EQ(device->live_memory().bytes, 1000u);
}

TEST(NullDevice, PretendsToTakeEitherLanguage) {
  const auto opencl = make_null_device({.language = Language::opencl_c});
  EXPECT_EQ(opencl->info().language, Language::opencl_c);
  EXPECT_FALSE(opencl->info().traits.shape_local_memory);
  EXPECT_EQ(make_null_device()->info().language, Language::cuda_c);
}

TEST(NullDevice, DriverHasOneDevice) {
  const auto devices = null_driver()->devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0]->info().id, "null");
  EXPECT_EQ(null_driver()->name(), "null");
}

TEST(NullDevice, MemoryThatWasNotFreedEndsWithIt) {
  const auto device = make_null_device();
  device->allocate(100);
  EXPECT_EQ(device->live_memory().count, 1u);
}

}  // namespace
}  // namespace treadle::device
