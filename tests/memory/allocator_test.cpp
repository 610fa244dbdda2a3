// SPDX-License-Identifier: MIT
#include "treadle/memory/allocator.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "memory/fake_allocator.hpp"

namespace treadle::memory {
namespace {

struct HostAllocator {
  using Block = std::unique_ptr<std::byte[]>;
  Block allocate(std::size_t size_bytes) { return std::make_unique<std::byte[]>(size_bytes); }
};
static_assert(Allocator<HostAllocator>);

struct BlockThatMayThrow {
  BlockThatMayThrow(BlockThatMayThrow&&) noexcept(false);
};
struct WithoutSafeBlocks {
  using Block = BlockThatMayThrow;
  Block allocate(std::size_t size_bytes);
};
static_assert(!Allocator<WithoutSafeBlocks>);

struct WithoutWait {
  using Block = int;
  using Stream = int;
  using Mark = int;
  Block allocate(std::size_t size_bytes);
  Mark mark(const Stream& stream);
};
static_assert(Allocator<WithoutWait> && !OrderedAllocator<WithoutWait>);

TEST(AllocatorConcept, GivesAStreamOnlyWhereThereIsOrder) {
  EXPECT_TRUE((std::is_same_v<stream_of<HostAllocator>, Unordered>));
  EXPECT_TRUE((std::is_same_v<stream_of<fake::OrderedAllocator>, std::shared_ptr<std::string>>));
  EXPECT_EQ(Unordered{}, Unordered{});
}

}  // namespace
}  // namespace treadle::memory
