// SPDX-License-Identifier: MIT
#include "treadle/memory/pool_census.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/memory/pool.hpp"
#include "treadle/process/census.hpp"

namespace treadle::memory {
namespace {

struct Heap {
  using Block = std::unique_ptr<char[]>;
  Block allocate(std::size_t size_bytes) { return std::make_unique<char[]>(size_bytes); }
};

long active() { return live_objects()["active pool block"]; }
long held() { return live_objects()["held pool block"]; }

TEST(PoolCensus, P14_BlocksCountAsActiveThenHeldThenGone) {
  std::optional<Pool<Heap>> pool(std::in_place, Heap{});
  auto one = pool->allocate(100);
  auto two = pool->allocate(1000);
  EXPECT_EQ(active(), 2);
  EXPECT_EQ(held(), 0);
  one.free();
  EXPECT_EQ(active(), 1);
  EXPECT_EQ(held(), 1);
  pool->free_held();
  EXPECT_EQ(held(), 0);
  two.free();
  EXPECT_EQ(held(), 1);
  pool.reset();
  EXPECT_EQ(held(), 0);
}

TEST(PoolCensus, PoolsCountTogetherWhateverTheirMemory) {
  Pool<Heap> first{Heap{}}, second{Heap{}};
  const auto a = first.allocate(64), b = second.allocate(64);
  EXPECT_EQ(active(), 2);
}

TEST(PoolCensus, AnAllocationCountsAfterItsPoolIsGone) {
  std::optional<Pool<Heap>> pool(std::in_place, Heap{});
  auto survivor = pool->allocate(64);
  pool.reset();
  EXPECT_EQ(active(), 1);
  survivor.free();
  EXPECT_EQ(active(), 0);
}

TEST(PoolCensus, APoolThatWasRefusedIsNotCounted) {
  PoolOptions options;
  options.bins.leading_bits = 1000;
  EXPECT_THROW(Pool<Heap>(Heap{}, options), InvalidArgument);
  EXPECT_EQ(active() + held(), 0);
}

TEST(PoolCensus, P11_AskedWhilePoolsComeAndGo) {
  std::atomic<bool> is_over = false;
  std::thread asker([&] {
    while (!is_over) live_objects();
  });
  std::vector<std::thread> users;
  for (int i = 0; i < 4; ++i)
    users.emplace_back([] {
      for (int j = 0; j < 200; ++j) {
        Pool<Heap> pool{Heap{}};
        pool.allocate(64).free();
      }
    });
  for (std::thread& user : users) user.join();
  is_over = true;
  asker.join();
  EXPECT_EQ(active() + held(), 0);
}

}  // namespace
}  // namespace treadle::memory
