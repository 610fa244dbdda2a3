// SPDX-License-Identifier: MIT
// Which stream may use a block, and who waits for whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "memory/fake_allocator.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Memory = Allocation<fake::OrderedAllocator>;

class OrderedPool : public testing::Test {
 protected:
  using Stream = fake::OrderedAllocator::Stream;
  std::shared_ptr<fake::Heap> heap_ = std::make_shared<fake::Heap>();
  Stream a_ = std::make_shared<std::string>("a"), b_ = std::make_shared<std::string>("b");
  std::optional<Pool<fake::OrderedAllocator>> pool_{std::in_place, fake::OrderedAllocator(heap_)};
};

TEST_F(OrderedPool, TheSameStreamUsesABlockAgainAtOnce) {
  pool_->allocate(64, a_).free();
  const auto again = pool_->allocate(64, a_);
  EXPECT_EQ(heap_->asked.size(), 1u);
  EXPECT_THAT(heap_->ordering, IsEmpty());
}

TEST_F(OrderedPool, AnotherStreamUsesTheBlockOfOneThatIsDone) {
  pool_->allocate(64, a_).free();
  auto on_b = pool_->allocate(64, b_);
  EXPECT_EQ(heap_->asked.size(), 1u);
  EXPECT_THAT(heap_->ordering, IsEmpty());
  on_b.free();  // its last use is on b now
  heap_->busy = {"b"};
  const auto again = pool_->allocate(64, b_);
  EXPECT_EQ(heap_->asked.size(), 1u);
}

TEST_F(OrderedPool, AnotherStreamDoesNotWaitForOneThatIsBusy) {
  pool_->allocate(64, a_).free();
  heap_->busy = {"a"};
  const auto on_b = pool_->allocate(64, b_);
  EXPECT_EQ(heap_->asked.size(), 2u);
  EXPECT_EQ(pool_->statistics().held_blocks, 1u);
  const auto on_a = pool_->allocate(64, a_);
  EXPECT_EQ(heap_->asked.size(), 2u);
  EXPECT_THAT(heap_->ordering, IsEmpty());
}

TEST_F(OrderedPool, AnotherStreamWaitsForABusyOneWhereThereIsNoMoreMemory) {
  heap_->capacity_bytes = 64;
  pool_->allocate(64, a_).free();
  heap_->busy = {"a"};
  auto on_b = pool_->allocate(64, b_);
  EXPECT_EQ(heap_->asked.size(), 1u);
  EXPECT_THAT(heap_->ordering, ElementsAre("mark a", "wait b for a"));
  EXPECT_THROW((void)pool_->allocate(64, b_), OutOfMemory);
}

TEST_F(OrderedPool, ABlockOfTheOwnStreamIsUsedBeforeANewerOne) {
  auto mine = pool_->allocate(64, b_), theirs = pool_->allocate(64, a_);
  const int block = mine.block().number();
  mine.free();
  theirs.free();
  EXPECT_EQ(pool_->allocate(64, b_).block().number(), block);
  EXPECT_THAT(heap_->ordering, IsEmpty());
  EXPECT_EQ(pool_->statistics().held_blocks, 2u);
}

TEST_F(OrderedPool, FreeingOnAnotherStreamMovesTheBlockThere) {
  auto memory = pool_->allocate(64, a_);
  memory.free(b_);
  EXPECT_TRUE(memory.is_freed());
  EXPECT_THROW(memory.free(b_), InvalidState);
  const auto on_b = pool_->allocate(64, b_);
  EXPECT_THAT(heap_->ordering, IsEmpty());
}

TEST_F(OrderedPool, EqualStreamsAreOne) {
  Pool pool(fake::OrderedAllocator{heap_});
  pool.allocate(64, a_).free(Stream(a_));
  (void)pool.allocate(64, Stream(a_));
  EXPECT_THAT(heap_->ordering, IsEmpty());
}

TEST_F(OrderedPool, AStreamLivesAsLongAsABlockWasUsedOnItLast) {
  pool_->allocate(64, a_).free();
  EXPECT_EQ(a_.use_count(), 2);
  auto on_b = pool_->allocate(64, b_);  // took a's block
  EXPECT_EQ(a_.use_count(), 1);
  EXPECT_EQ(b_.use_count(), 2);
  on_b.free(a_);
  EXPECT_EQ(b_.use_count(), 1);
  pool_->free_held();
  EXPECT_EQ(a_.use_count(), 1);
}

TEST_F(OrderedPool, AStreamEndsWithTheBlocksOfAnEndedPool) {
  auto memory = pool_->allocate(64, a_);
  pool_.reset();
  EXPECT_EQ(a_.use_count(), 2);
  memory.free();
  EXPECT_EQ(a_.use_count(), 1);
}

TEST_F(OrderedPool, WhereOrderingFailsTheBlockIsStillHeldForItsStream) {
  heap_->capacity_bytes = 64;
  pool_->allocate(64, a_).free();
  heap_->busy = {"a"};
  for (const int later : {1, 3, 4}) {  // the question, then after the refusal the mark, the wait
    heap_->fail_call = heap_->calls + later;
    heap_->fail_with_other = true;
    EXPECT_THROW((void)pool_->allocate(64, b_), LaunchError);
    EXPECT_EQ(pool_->statistics().held_blocks, 1u);
    EXPECT_EQ(pool_->statistics().active_blocks, 0u);
    EXPECT_EQ(b_.use_count(), 1);
  }
  heap_->ordering.clear();
  (void)pool_->allocate(64, a_);
  EXPECT_THAT(heap_->ordering, IsEmpty());
}

TEST_F(OrderedPool, ManyBlocksOfAnotherStreamDoNotHideOnesOwnForLong) {
  std::vector<Memory> theirs;
  for (int i = 0; i < 200; ++i) theirs.push_back(pool_->allocate(64, a_));
  theirs.clear();
  const auto first = pool_->allocate(64, b_);
  EXPECT_EQ(heap_->asked.size(), 200u);
}

}  // namespace
}  // namespace treadle::memory
