// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "memory/fake_allocator.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {
namespace {

constexpr int thread_count = 8;

/// Runs `work(number)` on several threads.
template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

TEST(PoolThreads, NoBlockHasTwoOwners) {
  const auto heap = std::make_shared<fake::Heap>();
  heap->capacity_bytes = 200'000;  // so that some requests fail and blocks are given up
  Pool pool(fake::Allocator{heap});
  std::vector<std::atomic<int>> owners(200'000);
  std::atomic<int> collisions = 0;
  in_threads([&](int number) {
    std::minstd_rand random(static_cast<unsigned>(number));
    std::vector<Allocation<fake::Allocator>> mine;
    for (int i = 0; i < 3000; ++i) {
      try {
        auto memory = pool.allocate(random() % 20'000);
        auto& owner = owners[static_cast<std::size_t>(memory.block().number())];
        if (owner.exchange(1) != 0) ++collisions;
        mine.push_back(std::move(memory));
      } catch (const OutOfMemory&) {
      }
      while (mine.size() > random() % 8) {
        owners[static_cast<std::size_t>(mine.back().block().number())] = 0;
        mine.pop_back();
      }
      if (i % 500 == 0) pool.free_held();
    }
    for (auto& memory : mine) owners[static_cast<std::size_t>(memory.block().number())] = 0;
  });
  EXPECT_EQ(collisions, 0);
  EXPECT_EQ(pool.statistics().active_blocks, 0u);
  EXPECT_EQ(pool.statistics().managed_bytes, heap->used_bytes);
  pool.stop_holding();
  EXPECT_EQ(heap->live_blocks, 0);
}

TEST(PoolThreads, StreamsOfManyThreadsShareBlocks) {
  const auto heap = std::make_shared<fake::Heap>();
  std::vector<fake::OrderedAllocator::Stream> streams;
  for (int i = 0; i < thread_count; ++i)
    streams.push_back(std::make_shared<std::string>(std::to_string(i)));
  {
    Pool pool(fake::OrderedAllocator{heap});
    in_threads([&](int number) {
      const auto n = static_cast<std::size_t>(number);
      for (std::size_t i = 0; i < 2000; ++i) {
        auto memory = pool.allocate(1000, streams[n]);
        if (i % 3 == 0) memory.free(streams[(n + i) % streams.size()]);
      }
    });
    EXPECT_EQ(pool.statistics().active_blocks, 0u);
  }
  EXPECT_EQ(heap->live_blocks, 0);
  for (const auto& stream : streams) EXPECT_EQ(stream.use_count(), 1);
}

TEST(PoolThreads, ThePoolMayEndWhileOthersFree) {
  for (int round = 0; round < 200; ++round) {
    const auto heap = std::make_shared<fake::Heap>();
    std::optional<Pool<fake::Allocator>> pool(fake::Allocator{heap});
    std::vector<Allocation<fake::Allocator>> memory;
    for (int i = 0; i < thread_count; ++i) memory.push_back(pool->allocate(64));
    std::thread ending([&] { pool.reset(); });
    in_threads([&](int number) { memory[static_cast<std::size_t>(number)].free(); });
    ending.join();
    ASSERT_EQ(heap->live_blocks, 0);
    ASSERT_EQ(heap.use_count(), 1);
  }
}

}  // namespace
}  // namespace treadle::memory
