// SPDX-License-Identifier: MIT
#include "treadle/cuda/memory_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/stream_operations.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

class OnMemoryPool : public OnEachProvider {};

TEST_P(OnMemoryPool, MemoryIsUsableInTheOrderOfTheStream) {
  const Stream stream(StreamFlags::non_blocking);
  DeviceMemory memory = allocate_async(1 << 20, stream);
  EXPECT_EQ(memory.size_bytes(), 1u << 20);
  fill32_async(memory.address(), 11, 1 << 18, stream);
  std::vector<std::uint32_t> host(4);
  memory.copy_to_async(host, stream);
  free_async(memory, stream);
  EXPECT_TRUE(memory.is_freed());
  EXPECT_THROW(memory.address(), InvalidState);
  EXPECT_THROW(free_async(memory, stream), InvalidState);
  stream.synchronize();
  EXPECT_EQ(host[3], 11u);
}

TEST_P(OnMemoryPool, ADestructorWaitsForTheWorkThatUsesTheMemory) {
  const Stream stream(StreamFlags::non_blocking);
  const MemoryPool pool(device());
  const HostMemory flag(4, HostMemoryFlags::device_map);
  flag.as<std::uint32_t>()[0] = 0;
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic_ref(flag.as<std::uint32_t>()[0]).store(1);
  });
  {
    const DeviceMemory memory = pool.allocate(1 << 20, stream);
    wait_value32(stream, flag.device_pointer(), 1);
    fill32_async(memory.address(), 11, 1 << 18, stream);
    EXPECT_EQ(pool.used_bytes(), 1u << 20);
  }
  EXPECT_TRUE(stream.is_done());
  host.join();
  EXPECT_EQ(pool.used_bytes(), 0u);
}

TEST_P(OnMemoryPool, CountsWhatItGivesOut) {
  const Stream stream(StreamFlags::non_blocking);
  const MemoryPool pool(device());
  EXPECT_EQ(pool.used_bytes(), 0u);
  DeviceMemory first = pool.allocate(1 << 20, stream), second = pool.allocate(2 << 20, stream);
  EXPECT_EQ(pool.used_bytes(), 3u << 20);
  EXPECT_GE(pool.reserved_bytes(), pool.used_bytes());
  free_async(first, stream);
  stream.synchronize();
  EXPECT_EQ(pool.used_bytes(), 2u << 20);
  EXPECT_EQ(pool.most_used_bytes(), 3u << 20);
  pool.reset_most();
  EXPECT_EQ(pool.most_used_bytes(), 2u << 20);
  EXPECT_GE(pool.most_reserved_bytes(), 2u << 20);
  free_async(second, stream);
  stream.synchronize();
  pool.trim();
  EXPECT_EQ(pool.reserved_bytes(), 0u);
}

TEST_P(OnMemoryPool, KeepsWhatItIsToldToKeep) {
  const MemoryPool pool(device());
  EXPECT_EQ(pool.release_threshold(), 0u);
  pool.set_release_threshold(64 << 20);
  EXPECT_EQ(pool.release_threshold(), 64u << 20);
  EXPECT_EQ(pool.reuse(), PoolReuse());
  const PoolReuse none{false, false, false};
  pool.set_reuse(none);
  EXPECT_EQ(pool.reuse(), none);
}

TEST_P(OnMemoryPool, OneIsTheDevicesCurrentPool) {
  const MemoryPool before = MemoryPool::current_of(device());
  EXPECT_EQ(before, MemoryPool::default_of(device()));
  const Stream stream(StreamFlags::non_blocking);
  {
    const MemoryPool own(device());
    own.make_current();
    EXPECT_EQ(MemoryPool::current_of(device()), own);
    DeviceMemory memory = allocate_async(1 << 20, stream);
    EXPECT_EQ(own.used_bytes(), 1u << 20);
    free_async(memory, stream);
    stream.synchronize();
  }
  EXPECT_EQ(MemoryPool::current_of(device()), before);
}

TEST_P(OnMemoryPool, MemoryOutlivesThePoolItCameFrom) {
  const Stream stream(StreamFlags::non_blocking);
  std::optional<MemoryPool> pool(std::in_place, device());
  DeviceMemory memory = pool->allocate(4096, stream);
  pool.reset();
  fill32_async(memory.address(), 3, 1024, stream);
  std::vector<std::uint32_t> host(1024);
  memory.copy_to_async(host, stream);
  stream.synchronize();
  EXPECT_EQ(host[1023], 3u);
}

TEST_P(OnMemoryPool, ALimitHolds) {
  const MemoryPool pool(device(), 4 << 20);
  const Stream stream(StreamFlags::non_blocking);
  EXPECT_THROW(pool.allocate(std::size_t{1} << 30, stream), OutOfMemory);
  EXPECT_THROW(pool.allocate(static_cast<std::size_t>(-1), stream), InvalidArgument);
  EXPECT_THROW(allocate_async(static_cast<std::size_t>(-1), stream), InvalidArgument);
}

TEST_P(OnMemoryPool, ACapturedAllocationBelongsToTheGraph) {
  const Stream stream(StreamFlags::non_blocking);
  const DeviceMemory out(16);
  Capture capture(stream);
  DeviceMemory memory = allocate_async(16, stream);
  fill32_async(memory.address(), 21, 4, stream);
  copy_on_device_async(out.address(), memory.address(), 16, stream);
  free_async(memory, stream);
  const Graph graph = capture.end();
  ASSERT_EQ(graph.nodes().size(), 4u);
  EXPECT_EQ(graph.nodes().front().type(), GraphNodeType::allocate);
  EXPECT_EQ(graph.nodes().back().type(), GraphNodeType::free);
  const GraphExec exec = graph.instantiate();
  exec.launch(stream);
  exec.launch(stream);
  stream.synchronize();
  std::vector<std::uint32_t> host(4);
  out.copy_to(host);
  EXPECT_EQ(host[0], 21u);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnMemoryPool, each_provider, provider_name);

TEST_P(OnMemoryPool, APlaceHasPoolsOfItsOwn) {
  const Driver& driver = device().driver();
  const MemoryLocation here = MemoryLocation::of(device());
  if (!is_present(driver.table().cuMemGetDefaultMemPool)) {
    EXPECT_THROW(MemoryPool::default_at(here, PoolMemory::pinned, driver), NotSupported);
    EXPECT_THROW(MemoryPool::current_at(here, PoolMemory::pinned, driver), NotSupported);
    return;
  }
  EXPECT_EQ(MemoryPool::default_at(here, PoolMemory::pinned, driver),
            MemoryPool::default_of(device()));
  const MemoryPool managed = MemoryPool::at(here, PoolMemory::managed, 0, driver);
  const Stream stream(StreamFlags::non_blocking);
  const MemoryPool before = MemoryPool::current_at(here, PoolMemory::managed, driver);
  managed.make_current();
  EXPECT_EQ(MemoryPool::current_at(here, PoolMemory::managed, driver), managed);
  before.make_current();
  EXPECT_EQ(managed.allocate(64, stream).size_bytes(), 64u);
}

TEST_P(OnMemoryPool, AWrongPlaceIsRefused) {
  const Driver& driver = device().driver();
  EXPECT_THROW(MemoryPool::at({MemoryLocation::Kind::device, 99}, PoolMemory::pinned, 0, driver),
               Error);
  EXPECT_THROW(MemoryPool::at(MemoryLocation::of(device()), PoolMemory::pinned,
                              static_cast<std::size_t>(-5), driver),
               InvalidArgument);
}

}  // namespace
}  // namespace treadle::cuda
