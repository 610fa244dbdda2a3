// SPDX-License-Identifier: MIT
#include "treadle/memory/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "memory/fake_allocator.hpp"

namespace treadle::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PoolOfBlocks : public testing::Test {
 protected:
  std::shared_ptr<fake::Heap> heap_ = std::make_shared<fake::Heap>();
  std::optional<Pool<fake::Allocator>> pool_{std::in_place, fake::Allocator(heap_)};

  std::string message_of_allocating(std::size_t size_bytes) {
    try {
      (void)pool_->allocate(size_bytes);
    } catch (const OutOfMemory& error) {
      return error.message();
    }
    return "nothing was thrown";
  }
};

TEST_F(PoolOfBlocks, AFreedBlockIsTheNextOnesBlock) {
  auto first = pool_->allocate(1000);
  const int block = first.block().number();
  first.free();
  EXPECT_EQ(heap_->live_blocks, 1);
  const auto second = pool_->allocate(1010);  // the same bin
  EXPECT_EQ(second.block().number(), block);
  EXPECT_EQ(second.size_bytes(), 1010u);
  EXPECT_EQ(second.block_bytes(), 1024u);
  EXPECT_THAT(heap_->asked, ElementsAre(1024));
  const auto other_bin = pool_->allocate(1030);
  EXPECT_NE(other_bin.block().number(), block);
}

TEST_F(PoolOfBlocks, TheNewestHeldBlockIsUsedFirst) {
  auto older = pool_->allocate(64), newer = pool_->allocate(64);
  const int newest = newer.block().number();
  older.free();
  newer.free();
  EXPECT_EQ(pool_->allocate(64).block().number(), newest);
}

TEST_F(PoolOfBlocks, ZeroBytesAreABlock) {
  const auto empty = pool_->allocate(0);
  EXPECT_EQ(empty.size_bytes(), 0u);
  EXPECT_GE(empty.block().size_bytes(), 1u);
}

TEST_F(PoolOfBlocks, LeavingTheScopeFrees) {
  {
    const auto memory = pool_->allocate(64);
  }
  EXPECT_EQ(pool_->statistics().active_blocks, 0u);
  EXPECT_EQ(pool_->statistics().held_blocks, 1u);
}

TEST_F(PoolOfBlocks, WhatWasFreedIsGone) {
  auto memory = pool_->allocate(64);
  memory.free();
  EXPECT_TRUE(memory.is_freed());
  EXPECT_THROW(memory.free(), InvalidState);
  EXPECT_THROW((void)memory.block(), InvalidState);
  EXPECT_THROW((void)memory.size_bytes(), InvalidState);
  EXPECT_THROW((void)memory.block_bytes(), InvalidState);
  EXPECT_EQ(pool_->statistics().held_blocks, 1u);
}

TEST_F(PoolOfBlocks, MovingLeavesOneOwner) {
  auto first = pool_->allocate(64);
  const int block = first.block().number();
  auto second = std::move(first);
  EXPECT_TRUE(first.is_freed());
  auto third = pool_->allocate(64);
  third = std::move(second);
  EXPECT_EQ(third.block().number(), block);
  auto& alias = third;
  third = std::move(alias);
  EXPECT_EQ(third.block().number(), block);
  EXPECT_EQ(pool_->statistics().active_blocks, 1u);
  EXPECT_EQ(pool_->statistics().held_blocks, 1u);
}

TEST_F(PoolOfBlocks, FreeHeldGivesBackWhatIsNotInUse) {
  auto kept = pool_->allocate(64);
  pool_->allocate(100).free();
  pool_->allocate(3000).free();
  pool_->free_held();
  EXPECT_THAT(heap_->freed, ElementsAre(3072, 100));  // the largest bins first
  EXPECT_EQ(heap_->live_blocks, 1);
  kept.free();
  EXPECT_EQ(pool_->statistics().held_blocks, 1u);
}

TEST_F(PoolOfBlocks, AfterStopHoldingNothingIsHeld) {
  auto kept = pool_->allocate(64);
  pool_->allocate(100).free();
  pool_->stop_holding();
  EXPECT_EQ(pool_->statistics().held_blocks, 0u);
  kept.free();
  EXPECT_EQ(pool_->statistics().held_blocks, 0u);
  EXPECT_EQ(pool_->statistics().managed_bytes, 0u);
  EXPECT_EQ(heap_->live_blocks, 0);
  pool_->allocate(64).free();
  EXPECT_EQ(heap_->live_blocks, 0);
}

TEST_F(PoolOfBlocks, AllocationsOutliveTheirPool) {
  auto first = pool_->allocate(64), second = pool_->allocate(64);
  pool_->allocate(100).free();
  pool_.reset();
  EXPECT_EQ(heap_->live_blocks, 2);
  EXPECT_EQ(first.block().size_bytes(), 64u);
  first.free();
  EXPECT_EQ(heap_->live_blocks, 1);
  {
    const auto last = std::move(second);
  }
  EXPECT_EQ(heap_->live_blocks, 0);
  EXPECT_EQ(heap_.use_count(), 1);  // the allocator ended with the last of them
}

TEST_F(PoolOfBlocks, OutOfMemoryGivesUpHeldBlocksTheLargestFirst) {
  heap_->capacity_bytes = 4200;
  pool_->allocate(64).free();
  pool_->allocate(2048).free();
  pool_->allocate(1024).free();
  const auto large = pool_->allocate(3000);
  EXPECT_THAT(heap_->freed, ElementsAre(2048));  // was enough
  EXPECT_EQ(pool_->statistics().held_blocks, 2u);
}

TEST_F(PoolOfBlocks, OutOfMemoryNamesTheLargestAllocationsAndTheirLines) {
  heap_->capacity_bytes = 4096;
  const auto large = pool_->allocate(3000);
  const std::string line = "pool_test.cpp:" + std::to_string(__LINE__ - 1);
  const auto small = pool_->allocate(100);
  pool_->allocate(16).free();
  const std::string message = message_of_allocating(2048);
  EXPECT_THAT(message, HasSubstr("allocate failed: out of memory"));
  EXPECT_THAT(message, HasSubstr("2.00 KiB (2048 bytes)"));
  EXPECT_THAT(message, HasSubstr("its 2 live allocations take 3.03 KiB"));
  EXPECT_THAT(message, HasSubstr("2.93 KiB made at "));
  EXPECT_THAT(message, HasSubstr(line));
  EXPECT_LT(message.find("2.93 KiB"), message.find("100 bytes made at"));
  EXPECT_EQ(pool_->statistics().held_blocks, 0u);
}

TEST_F(PoolOfBlocks, OutOfMemoryAddsUpWhatALineHasAllocated) {
  heap_->capacity_bytes = 4096;
  const auto large = pool_->allocate(1500);
  std::vector<decltype(pool_->allocate(1))> many;
  for (int i = 0; i < 3; ++i) many.push_back(pool_->allocate(600));
  const std::string message = message_of_allocating(4096);
  EXPECT_THAT(message, HasSubstr("the most of it: 1.76 KiB in 3 allocations made at "));
  EXPECT_LT(message.find("1.76 KiB"), message.find("1.46 KiB made at"));
}

TEST_F(PoolOfBlocks, OutOfMemoryOfAnEmptyPoolSaysSo) {
  heap_->capacity_bytes = 10;
  EXPECT_THAT(message_of_allocating(~std::size_t{0}), HasSubstr("it has no live allocation"));
  EXPECT_THAT(message_of_allocating(~std::size_t{0}), HasSubstr("16.00 EiB"));
}

TEST_F(PoolOfBlocks, ReclaimingIsTriedBeforeHeldBlocksAreGivenUp) {
  heap_->capacity_bytes = 2048;
  std::optional<Allocation<fake::Allocator>> garbage;
  int reclaimed = 0;
  PoolOptions options;
  options.reclaim = [&] {
    ++reclaimed;
    garbage.reset();
  };
  Pool pool(fake::Allocator(heap_), options);
  pool.allocate(512).free();
  garbage = pool.allocate(1024);
  const int block = garbage->block().number();
  auto again = pool.allocate(1020);  // what was reclaimed is of its bin
  EXPECT_EQ(again.block().number(), block);
  EXPECT_EQ(reclaimed, 1);
  EXPECT_THAT(heap_->freed, IsEmpty());
  EXPECT_THROW((void)pool.allocate(4096), OutOfMemory);
  EXPECT_EQ(reclaimed, 2);
}

TEST_F(PoolOfBlocks, ErrorsOtherThanOutOfMemoryReachTheCaller) {
  pool_->allocate(64).free();
  heap_->fail_call = heap_->calls + 1;
  heap_->fail_with_other = true;
  EXPECT_THROW((void)pool_->allocate(100), LaunchError);
  EXPECT_EQ(pool_->statistics().held_blocks, 1u);  // nothing was given up
  EXPECT_NO_THROW((void)pool_->allocate(100));
}

TEST_F(PoolOfBlocks, OptionsAreCheckedAndKept) {
  EXPECT_THROW(Pool(fake::Allocator(heap_), {.bins = {.leading_bits = 11}}), InvalidArgument);
  const Pool pool(fake::Allocator(heap_),
                  {.bins = {.leading_bits = 2, .block_size = BlockSize::all_ones}});
  EXPECT_EQ(pool.bins().alloc_size(pool.bins().bin_number(100)), 111u);
}

TEST_F(PoolOfBlocks, TheAllocatorCanBeAsked) {
  struct Numbered : fake::Allocator {
    using fake::Allocator::Allocator;
    int number = 7;
  };
  const Pool pool(Numbered{heap_});
  EXPECT_EQ(pool.allocator().number, 7);
}

}  // namespace
}  // namespace treadle::memory
