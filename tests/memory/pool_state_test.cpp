// SPDX-License-Identifier: MIT
#include "treadle/memory/pool_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "memory/fake_allocator.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {
namespace {

/// Blocks that come back to the pool as they end: what a garbage collector or a stream that owns
/// memory does. The pool must hold no lock then.
struct Reentrant {
  struct Block {
    std::shared_ptr<std::function<void()>> at_end;
    Block(Block&&) noexcept = default;
    explicit Block(std::shared_ptr<std::function<void()>> action) : at_end(std::move(action)) {}
    ~Block() {
      if (at_end && *at_end) (*at_end)();
    }
  };
  std::shared_ptr<std::function<void()>> at_end = std::make_shared<std::function<void()>>();
  Block allocate(std::size_t) { return Block(at_end); }
};

TEST(PoolState, ABlockMayComeBackToThePoolAsItEnds) {
  const Reentrant allocator;
  Pool pool(allocator);
  std::size_t seen = 99;
  std::vector<Allocation<Reentrant>> garbage;
  garbage.push_back(pool.allocate(64));
  pool.allocate(100).free();
  *allocator.at_end = [&] {
    garbage.clear();
    seen = pool.statistics().active_blocks;
  };
  pool.free_held();
  EXPECT_EQ(seen, 0u);
  EXPECT_EQ(pool.statistics().held_blocks, 0u);
  *allocator.at_end = {};
}

TEST(PoolState, EndsAfterABlockThatEndsLast) {
  const Reentrant allocator;
  Allocation<Reentrant> last;
  {
    Pool pool(allocator);
    last = pool.allocate(64);
    auto other = pool.allocate(64);
    *allocator.at_end = [&] { last = {}; };
  }
  EXPECT_TRUE(last.is_freed());
  EXPECT_EQ(allocator.at_end.use_count(), 1);
}

TEST(PoolState, ManyBlocksOfManyBinsComeBack) {
  const auto heap = std::make_shared<fake::Heap>();
  Pool pool(fake::Allocator(heap), {.bins = {.leading_bits = 10}});
  {
    std::vector<Allocation<fake::Allocator>> memory;
    for (std::size_t size = 0; size < 2000; ++size) memory.push_back(pool.allocate(size * size));
    for (std::size_t i = 0; i < memory.size(); i += 3) memory[i].free();
  }
  EXPECT_EQ(pool.statistics().active_bytes, 0u);
  EXPECT_EQ(pool.statistics().held_bytes, pool.statistics().managed_bytes);
  EXPECT_EQ(pool.statistics().managed_bytes, heap->used_bytes);
  pool.free_held();
  EXPECT_EQ(heap->used_bytes, 0u);
  EXPECT_EQ(pool.statistics().managed_bytes, 0u);
}

}  // namespace
}  // namespace treadle::memory
