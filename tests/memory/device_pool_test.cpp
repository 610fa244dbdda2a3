// SPDX-License-Identifier: MIT
#include "treadle/memory/device_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::memory {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Counts what a device's pool tells.
class Listener final : public device::DeferredWork {
 public:
  explicit Listener(device::Device& device) : device_(device) { device_.set_deferred(this); }
  ~Listener() { device_.set_deferred(nullptr); }
  void before_write(device::Location, device::Stream*) override {}
  void before_mark(device::Stream*) override {}
  void before_growth(std::size_t size_bytes) noexcept override {
    grown.push_back(size_bytes);
    to_free = {};
  }
  void reclaim() noexcept override { ++reclaimed; }

  std::vector<std::size_t> grown;
  int reclaimed = 0;
  Buffer to_free;

 private:
  device::Device& device_;
};

class PoolOfNullDevice : public testing::Test {
 protected:
  std::shared_ptr<device::Device> device_ = device::make_null_device({.memory_bytes = 1 << 20});
  DevicePool pool_{DeviceAllocator(device_)};
  std::shared_ptr<device::Stream> a_ = device_->make_stream(), b_ = device_->make_stream();

  std::vector<std::string> new_calls() {
    auto calls = device::null_calls(*device_);
    device::clear_null_calls(*device_);
    return calls;
  }
};

TEST_F(PoolOfNullDevice, AsksTheDeviceOnce) {
  new_calls();
  for (int i = 0; i < 10; ++i) (void)pool_.allocate(1000, a_);
  EXPECT_THAT(new_calls(), ElementsAre("allocate 1024"));
  pool_.free_held();
  EXPECT_THAT(new_calls(), ElementsAre("free 1024"));
  EXPECT_EQ(device_->live_memory().count, 0u);
}

TEST_F(PoolOfNullDevice, TheSameStreamUsesABlockAgainWhileWorkIsQueued) {
  auto memory = pool_.allocate(64, a_);
  const std::vector<int> values = {1, 2, 3};
  a_->copy_in(memory.block().location(), values.data(), values.size() * sizeof(int));
  memory.free();
  new_calls();
  (void)pool_.allocate(64, a_);
  EXPECT_THAT(new_calls(), IsEmpty());
}

TEST_F(PoolOfNullDevice, AnotherStreamUsesABlockOfOneThatIsDone) {
  pool_.allocate(64, a_).free();
  new_calls();
  (void)pool_.allocate(64, b_);
  EXPECT_THAT(new_calls(), IsEmpty());
}

TEST_F(PoolOfNullDevice, OutOfMemoryGivesUpWhatIsHeldThenNamesWhatIsLive) {
  pool_.allocate(800'000, a_).free();
  const auto live = pool_.allocate(600'000, a_);  // does not fit beside what is held
  EXPECT_EQ(device_->live_memory().count, 1u);
  try {
    (void)pool_.allocate(600'000, a_);
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.message(), HasSubstr("device_pool_test.cpp:"));
    EXPECT_EQ(error.code_name(), "NULL_OUT_OF_MEMORY");
  }
}

TEST_F(PoolOfNullDevice, KeepsItsDeviceAndItsStreamsAlive) {
  const std::weak_ptr<device::Device> device = device_;
  auto memory = pool_.allocate(64, a_);
  memory.free();
  device_.reset();
  a_.reset();
  b_.reset();
  EXPECT_FALSE(device.expired());
  EXPECT_EQ(pool_.allocator().device().get(), device.lock().get());
  pool_.free_held();
}

TEST(DeviceAllocator, NeedsADevice) { EXPECT_THROW(DeviceAllocator(nullptr), InvalidArgument); }

/// Every device of this machine: what one stream wrote is not disturbed by another that gets the
/// block next.
TEST(DevicePool, StreamsShareBlocksOnEveryDevice) {
  for (const auto& device : device::devices()) {
    SCOPED_TRACE(device->info().id);
    DevicePool pool{DeviceAllocator(device)};
    const auto a = device->make_stream(), b = device->make_stream();
    constexpr std::size_t count = 1 << 20;
    const std::vector<int> ones(count, 1), twos(count, 2);
    std::vector<int> first(count), second(count);
    auto on_a = pool.allocate(count * sizeof(int), a);
    a->copy_in(on_a.block().location(), ones.data(), count * sizeof(int));
    a->copy_out(first.data(), on_a.block().location(), count * sizeof(int));
    on_a.free();
    auto on_b = pool.allocate(count * sizeof(int), b);
    b->copy_in(on_b.block().location(), twos.data(), count * sizeof(int));
    b->copy_out(second.data(), on_b.block().location(), count * sizeof(int));
    a->synchronize();
    b->synchronize();
    EXPECT_EQ(first, ones);
    EXPECT_EQ(second, twos);
    // `on_b` is in use; what `a` has done with is free for all.
    const auto managed = pool.statistics().managed_bytes;
    on_b.free();
    (void)pool.allocate(count * sizeof(int), device->make_stream());
    EXPECT_EQ(pool.statistics().managed_bytes, managed);
  }
}

/// What a stream gets from the pool must not make it wait for another that waits for the host. With
/// a user event of OpenCL: tests/python/pyopencl/queue_independence_test.py.
TEST(DevicePool, AStreamIsNotHeldUpByOneThatTheHostHolds) {
  for (const auto& device : device::devices()) {
    SCOPED_TRACE(device->info().id);
    // The null device's streams wait for nothing, and OpenCL has no host function in a queue.
    if (device->info().id.starts_with("null") || device->info().id.starts_with("opencl")) continue;
    DevicePool pool{DeviceAllocator(device)};
    const auto a = device->make_stream(), b = device->make_stream();
    const int value = 7;
    int copied = 0;
    std::promise<void> opened;
    a->call_host([gate = opened.get_future().share()] { gate.wait(); });
    auto on_a = pool.allocate(sizeof value, a);
    a->copy_in(on_a.block().location(), &value, sizeof value);
    on_a.free();
    {
      const auto on_b = pool.allocate(sizeof value, b);
      b->copy_in(on_b.block().location(), &value, sizeof value);
      b->copy_out(&copied, on_b.block().location(), sizeof value);
    }
    auto finished = std::async(std::launch::async, [&] { b->synchronize(); });
    EXPECT_EQ(finished.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    opened.set_value();
    finished.get();
    EXPECT_EQ(copied, value);
    a->synchronize();
  }
}

TEST_F(PoolOfNullDevice, WhoHasPutWorkOffHearsBeforeTheDeviceIsAskedAndWhenItRefuses) {
  Listener listener(*device_);
  const auto first = Buffer::pooled(a_, 1000);
  (void)Buffer::pooled(a_, 2048);
  (void)Buffer::pooled(a_, 2048);  // is there
  EXPECT_THAT(listener.grown, ElementsAre(1024, 2048));
  EXPECT_EQ(listener.reclaimed, 0);
  EXPECT_THROW((void)Buffer::pooled(a_, 1 << 20), OutOfMemory);
  EXPECT_EQ(listener.reclaimed, 1);
}

TEST_F(PoolOfNullDevice, WhatIsFreedBeforeItGrowsIsUsed) {
  Listener listener(*device_);
  listener.to_free = Buffer::pooled(a_, 1000);
  new_calls();
  const auto second = Buffer::pooled(a_, 1000);
  EXPECT_THAT(new_calls(), IsEmpty());
  EXPECT_EQ(pool_of(*device_).statistics().managed_bytes, 1024u);
}

}  // namespace
}  // namespace treadle::memory
