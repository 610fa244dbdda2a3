// SPDX-License-Identifier: MIT
#include "treadle/memory/statistics.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "memory/fake_allocator.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {
namespace {

TEST(Statistics, FollowABlockThroughItsLife) {
  Pool pool(fake::Allocator(std::make_shared<fake::Heap>()));
  auto first = pool.allocate(1000);  // lies in 1024 bytes
  auto second = pool.allocate(100);
  Statistics now = pool.statistics();
  EXPECT_EQ(now.active_blocks, 2u);
  EXPECT_EQ(now.active_bytes, 1100u);
  EXPECT_EQ(now.managed_bytes, 1024u + 100);
  EXPECT_EQ(now.held_blocks, 0u);
  EXPECT_EQ(now.held_bytes, 0u);

  first.free();
  now = pool.statistics();
  EXPECT_EQ(now.active_blocks, 1u);
  EXPECT_EQ(now.active_bytes, 100u);
  EXPECT_EQ(now.managed_bytes, 1024u + 100);
  EXPECT_EQ(now.held_blocks, 1u);
  EXPECT_EQ(now.held_bytes, 1024u);

  pool.free_held();
  now = pool.statistics();
  EXPECT_EQ(now.managed_bytes, 100u);
  EXPECT_EQ(now.held_blocks, 0u);
  EXPECT_EQ(now.held_bytes, 0u);
}

TEST(Statistics, NameTheLargestLiveAllocationsWithTheirLines) {
  Pool pool(fake::Allocator(std::make_shared<fake::Heap>()));
  const auto small = pool.allocate(10), large = pool.allocate(3000), middle = pool.allocate(200);
  const std::string line = "statistics_test.cpp:" + std::to_string(__LINE__ - 1);
  auto freed = pool.allocate(5000);
  freed.free();
  const auto largest = pool.largest_live(2);
  ASSERT_EQ(largest.size(), 2u);
  EXPECT_EQ(largest[0].size_bytes, 3000u);
  EXPECT_EQ(largest[1].size_bytes, 200u);
  EXPECT_NE(largest[0].site.find(line), std::string::npos) << largest[0].site;
  EXPECT_EQ(pool.largest_live(10).size(), 3u);
}

}  // namespace
}  // namespace treadle::memory
