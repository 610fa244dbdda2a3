// SPDX-License-Identifier: MIT
// Every call of the allocator made to fail once: the outcome is an error, nothing is lost, and the
// pool goes on.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <vector>

#include "memory/fake_allocator.hpp"
#include "treadle/memory/pool.hpp"

namespace treadle::memory {
namespace {

using FailingPool = Pool<fake::OrderedAllocator>;
using Stream = fake::OrderedAllocator::Stream;

/// Fills bins, crosses streams, frees here and there.
void whole_program(FailingPool& pool, const Stream& a, const Stream& b) {
  auto first = pool.allocate(100, a), second = pool.allocate(100, a);
  auto large = pool.allocate(1 << 20, b);
  first.free(b);
  const auto crossing = pool.allocate(97, a);
  second.free();
  const auto back = pool.allocate(100, b);
  large.free(a);
  const auto again = pool.allocate(1 << 20, b);
  pool.free_held();
  const auto last = pool.allocate(5000, a);
}

class PoolFaults : public testing::TestWithParam<bool> {};

TEST_P(PoolFaults, NoCallOfTheAllocatorLosesMemory) {
  const auto a = std::make_shared<std::string>("a"), b = std::make_shared<std::string>("b");
  int failures = 0;
  bool is_last = false;  // the program made fewer calls than that
  for (int call = 1; !is_last; ++call) {
    const auto heap = std::make_shared<fake::Heap>();
    heap->fail_call = call;
    heap->fail_with_other = GetParam();
    {
      FailingPool pool{fake::OrderedAllocator(heap)};
      bool failed = false;
      try {
        whole_program(pool, a, b);
      } catch (const DeviceError&) {
        failed = true;
      }
      EXPECT_EQ(pool.statistics().active_blocks, 0u) << "call " << call;
      EXPECT_EQ(pool.statistics().held_bytes, heap->used_bytes);
      failures += failed ? 1 : 0;
      is_last = heap->fail_call > heap->calls;
      heap->fail_call = 0;
      EXPECT_NO_THROW(whole_program(pool, b, a)) << "the pool goes on after call " << call;
    }
    EXPECT_EQ(heap->live_blocks, 0) << "call " << call;
    EXPECT_EQ(heap.use_count(), 1);
  }
  EXPECT_EQ(a.use_count(), 1);
  EXPECT_EQ(b.use_count(), 1);
  EXPECT_GE(failures, 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PoolFaults, testing::Bool(), [](const auto& tested) {
  return tested.param ? "other" : "out_of_memory";
});

TEST(PoolFaults, WhatReclaimThrowsReachesTheCaller) {
  const auto heap = std::make_shared<fake::Heap>();
  heap->capacity_bytes = 100;
  PoolOptions options;
  options.reclaim = [] { throw std::bad_alloc(); };
  Pool pool(fake::Allocator(heap), options);
  pool.allocate(64).free();
  EXPECT_THROW((void)pool.allocate(99), std::bad_alloc);
  EXPECT_EQ(pool.statistics().held_blocks, 1u);
}

TEST(PoolFaults, OutOfMemoryOnceIsCuredByHeldBlocks) {
  const auto heap = std::make_shared<fake::Heap>();
  Pool pool(fake::Allocator{heap});
  pool.allocate(64).free();
  heap->fail_call = heap->calls + 1;
  EXPECT_NO_THROW((void)pool.allocate(100));
  EXPECT_EQ(heap->freed, std::vector<std::size_t>{64});
}

}  // namespace
}  // namespace treadle::memory
