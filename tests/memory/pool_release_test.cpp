// SPDX-License-Identifier: MIT
// What a pool holds is given back: to others whose allocations fail, after a quiet time, and where
// it is more than the pool is to hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "memory/fake_allocator.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/kept_memory.hpp"

namespace treadle::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t mebi = std::size_t{1} << 20;

class PoolReleaseTest : public testing::Test {
 protected:
  using OrderedPool = Pool<fake::OrderedAllocator>;
  std::shared_ptr<fake::Heap> heap_ = std::make_shared<fake::Heap>();
  std::shared_ptr<std::string> a_ = std::make_shared<std::string>("a"),
                               b_ = std::make_shared<std::string>("b");
  OrderedPool pool(const PoolOptions& options) {
    return OrderedPool(fake::OrderedAllocator(heap_), options);
  }
  static void use(OrderedPool& pool, std::size_t size_bytes,
                  const std::shared_ptr<std::string>& stream) {
    pool.allocate(size_bytes, stream);
  }
};

TEST_F(PoolReleaseTest, AnotherPoolsRefusalGivesBackWhatIsHeld) {
  Pool<fake::Allocator> one(fake::Allocator{heap_}), other(fake::Allocator{heap_});
  heap_->capacity_bytes = 10 * mebi;
  one.allocate(8 * mebi).free();
  const auto mine = other.allocate(6 * mebi);
  EXPECT_EQ(one.statistics().held_blocks, 0u);
  try {
    (void)one.allocate(6 * mebi);
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("given back all it held (0 bytes)"));
  }
}

TEST_F(PoolReleaseTest, TheOwnBlocksGoFirstAndOneByOne) {
  Pool<fake::Allocator> one(fake::Allocator{heap_}), other(fake::Allocator{heap_});
  heap_->capacity_bytes = 10 * mebi;
  other.allocate(2 * mebi).free();
  {
    const auto large = one.allocate(4 * mebi), small = one.allocate(mebi);
  }
  heap_->freed.clear();
  const auto taken = one.allocate(6 * mebi);
  EXPECT_THAT(heap_->freed, ElementsAre(4 * mebi));
  EXPECT_EQ(other.statistics().held_blocks, 1u);
}

TEST_F(PoolReleaseTest, TrimMemoryReachesEveryPool) {
  Pool<fake::Allocator> one(fake::Allocator{heap_}), other(fake::Allocator{heap_});
  one.allocate(mebi).free();
  other.allocate(2 * mebi).free();
  EXPECT_EQ(trim_memory(), 3 * mebi);
  EXPECT_EQ(heap_->live_blocks, 0);
  EXPECT_EQ(trim_memory(), 0u);
  std::string detail;
  add_kept_memory(detail);
  EXPECT_EQ(detail,
            "the pools of this process hold 0 bytes that nobody uses and have 0 bytes in use");
}

TEST_F(PoolReleaseTest, BlocksThatNobodyAskedForInAQuietTimeGoBackAtTheNextUse) {
  OrderedPool held = pool({.quiet_time = std::chrono::milliseconds(40)});
  use(held, mebi, a_);
  use(held, 2 * mebi, b_);
  EXPECT_THAT(heap_->freed, IsEmpty());
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_THAT(heap_->freed, IsEmpty());  // nobody has come
  heap_->busy = {"b"};
  use(held, 4 * mebi, a_);
  EXPECT_THAT(heap_->freed, IsEmpty());  // a driver would wait for the work on b
  heap_->busy.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  use(held, 4 * mebi, a_);
  EXPECT_THAT(heap_->freed, testing::UnorderedElementsAre(mebi, 2 * mebi));
  EXPECT_EQ(held.statistics().held_blocks, 1u);  // used just now
}

TEST_F(PoolReleaseTest, WhatIsMoreThanIsToBeHeldGoesBackTheOldestFirst) {
  OrderedPool held = pool({.most_held_bytes = 5 * mebi});
  for (const std::size_t size : {2, 1, 2, 4}) use(held, size * mebi, a_);
  EXPECT_THAT(heap_->freed, ElementsAre(mebi, 2 * mebi));
  EXPECT_EQ(held.statistics().held_bytes, 4 * mebi);
  use(held, 6 * mebi, a_);
  EXPECT_EQ(held.statistics().held_bytes, 0u);
  heap_->busy = {"a"};
  use(held, 6 * mebi, a_);
  EXPECT_EQ(held.statistics().held_bytes, 6 * mebi);  // in use still
  heap_->busy.clear();
  use(held, mebi, a_);
  EXPECT_LE(held.statistics().held_bytes, 5 * mebi);
}

TEST_F(PoolReleaseTest, ADeviceGetsWhatItsPoolHolds) {
  const auto device = device::make_null_device({.memory_bytes = 16 * mebi});
  const auto stream = device->make_stream();
  {
    const auto pooled = Buffer::pooled(stream, 3 * mebi);
  }
  EXPECT_EQ(pool_of(*device).statistics().held_bytes, 3 * mebi);
  const Buffer whole(device, 15 * mebi);
  EXPECT_EQ(pool_of(*device).statistics().held_bytes, 0u);
  try {
    const Buffer more(device, 2 * mebi);
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("the pools of this process hold 0 bytes"));
  }
}

TEST_F(PoolReleaseTest, TrimmingWhileDevicesEndIsSafe) {
  std::thread trimming([] {
    for (int i = 0; i < 200; ++i) trim_memory();
  });
  for (int i = 0; i < 200; ++i) {
    const auto device = device::make_null_device();
    const auto stream = device->make_stream();
    {
      const auto pooled = Buffer::pooled(stream, mebi);
    }
  }
  trimming.join();
}

}  // namespace
}  // namespace treadle::memory
