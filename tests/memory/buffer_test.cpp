// SPDX-License-Identifier: MIT
#include "treadle/memory/buffer.hpp"

#include "device/each_device.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::device {
namespace {

using memory::BufferKind;

class BufferTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, BufferTest, each_device(), device_test_name);

TEST_P(BufferTest, HoldsWhatItWasMadeOf) {
  const Buffer buffer(device(), count_up(10));
  EXPECT_EQ(buffer.size_bytes(), 40u);
  EXPECT_EQ(contents(buffer), count_up(10));
}

TEST_P(BufferTest, ZeroBytesAreAnEmptyBuffer) {
  Buffer buffer(device(), 0);
  EXPECT_EQ(buffer.location(), Location{});
  buffer.copy_from(std::vector<int>{});
  EXPECT_THROW(buffer.copy_from(std::vector<int>{1}), InvalidArgument);
  buffer.free();
  EXPECT_THROW(buffer.free(), InvalidState);
}

TEST_P(BufferTest, FreedBufferRefusesEverything) {
  Buffer buffer(device(), 16);
  buffer.free();
  EXPECT_TRUE(buffer.is_freed());
  std::vector<int> values(4);
  EXPECT_THROW(buffer.free(), InvalidState);
  EXPECT_THROW(buffer.location(), InvalidState);
  EXPECT_THROW(buffer.device(), InvalidState);
  EXPECT_THROW(buffer.copy_from(values), InvalidState);
  EXPECT_THROW(buffer.copy_to(values), InvalidState);
  EXPECT_THROW(buffer.copy_to(values, stream()), InvalidState);
}

TEST_P(BufferTest, LargerHostRangesAreRefused) {
  Buffer buffer(device(), 16);
  std::vector<int> values(5);
  expect_error<InvalidArgument>([&] { buffer.copy_from(values); }, {"20 bytes", "16"});
  EXPECT_THROW(buffer.copy_to(values), InvalidArgument);
}

TEST_P(BufferTest, StreamsOfAnotherDeviceAreRefused) {
  Buffer buffer(device(), 16);
  std::vector<int> values(4);
  const auto other = foreign()->make_stream();
  EXPECT_THROW(buffer.copy_from(values, *other), InvalidState);
  EXPECT_THROW(buffer.copy_to(values, *other), InvalidState);
}

TEST_P(BufferTest, MovesWithoutCopying) {
  Buffer a(device(), count_up(4));
  const Location place = a.location();
  Buffer b(std::move(a));
  EXPECT_TRUE(a.is_freed());  // NOLINT: what a moved-from Buffer says is promised
  EXPECT_EQ(b.location(), place);
  Buffer c(device(), 8);
  c = std::move(b);
  EXPECT_EQ(c.location(), place);
  Buffer& same = c;
  c = std::move(same);
  EXPECT_EQ(contents(c), count_up(4));
}

TEST_P(BufferTest, NeedsADevice) { EXPECT_THROW(Buffer(nullptr, 16), InvalidArgument); }

TEST_P(BufferTest, CopiesAndSlicesShareTheMemory) {
  Buffer slice;
  EXPECT_TRUE(slice.is_freed());
  EXPECT_THROW(slice.location(), InvalidState);
  {
    const Buffer whole(device(), count_up(100));
    const Buffer copy = whole;
    EXPECT_TRUE(copy.shares_with(whole));
    slice = copy.slice(40, 80).slice(8, 16);
    EXPECT_EQ(slice.location(), whole.location() + 48);
    expect_error<InvalidArgument>([&] { whole.slice(396, 5); }, {"400 bytes", "396"});
    EXPECT_THROW(whole.slice(401, 0), InvalidArgument);
  }
  EXPECT_EQ(contents(slice), count_up(4, 12));
  EXPECT_EQ(slice.kind(), BufferKind::owned);
}

TEST_P(BufferTest, FreeEndsTheMemoryForEveryBufferOfIt) {
  Buffer whole(device(), 64);
  const Buffer slice = whole.slice(16, 16);
  whole.free();
  EXPECT_TRUE(slice.is_freed());
  EXPECT_THROW(slice.location(), InvalidState);
  EXPECT_EQ(slice.size_bytes(), 16u);
}

TEST_P(BufferTest, PooledMemoryIsUsedAgainInStreamOrder) {
  Location first;
  {
    const Buffer a = Buffer::pooled(device()->default_stream(), 4000);
    first = a.location();
    EXPECT_EQ(a.kind(), BufferKind::pooled);
    stream().synchronize();
  }
  Buffer b = Buffer::pooled(device()->default_stream(), 4000);
  EXPECT_EQ(b.location(), first);
  // Another stream gets it when the first one has done its work with it, and another block before.
  const Kernel slow = kernel("wait_then_set");
  const auto set = device()->default_stream();
  set->launch(slow, {.groups = 1}, b, 1000000, 7);
  b.free();
  Buffer c = Buffer::pooled(this->shared_stream(), 4000);
  int seen = 0;
  c.copy_to(std::span(&seen, 1), stream());
  stream().synchronize();
  if (runs_kernels() && c.location() == first) {
    EXPECT_EQ(seen, 7);
  }
  set->synchronize();
  c.free();
  c = Buffer::pooled(device()->make_stream(), 4000);
  EXPECT_EQ(memory::pool_of(*device()).statistics().active_blocks, 1u);
  EXPECT_LE(memory::pool_of(*device()).statistics().managed_bytes, 2 * 4096u);
  EXPECT_THROW(Buffer::pooled(nullptr, 16), InvalidArgument);
  c.free();
  memory::pool_of(*device()).free_held();
}

TEST_P(BufferTest, PageLockedMemoryIsOfTheHostAndOfTheDevice) {
  const Buffer host = Buffer::page_locked(device(), 400);
  ASSERT_NE(host.host_data(), nullptr);
  EXPECT_EQ(host.kind(), BufferKind::page_locked);
  EXPECT_EQ(Buffer(device(), 4).host_data(), nullptr);
  const std::span values(reinterpret_cast<int*>(host.host_data()), 100);
  std::iota(values.begin(), values.end(), 5);
  const Buffer on_device(device(), 400);
  stream().copy_in(on_device.location(), host.host_data(), 400);
  stream().synchronize();
  EXPECT_EQ(contents(on_device), count_up(100, 5));
  std::ranges::fill(values, 0);
  stream().copy_out(host.slice(40, 40).host_data(), on_device.location(), 40);
  stream().synchronize();
  EXPECT_EQ(values[9], 0);
  EXPECT_EQ(values[10], 5);
  EXPECT_EQ(values[19], 14);
}

TEST_P(BufferTest, AdoptedMemoryIsKnownUntilTheLastBufferOfItEnds) {
  const Buffer owner(device(), count_up(64));
  const auto kept = std::make_shared<int>(1);
  // The device knows its own memory; a foreign one stands for another library's.
  {
    const Buffer view = Buffer::adopt(device(), owner.location() + 64, 128, {.owner = kept});
    EXPECT_EQ(kept.use_count(), 2);
    EXPECT_EQ(view.kind(), BufferKind::adopted);
    EXPECT_EQ(view.owner(), kept);
    EXPECT_EQ(owner.owner(), nullptr);
    EXPECT_EQ(contents(view), count_up(32, 16));
  }
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_THROW(Buffer::adopt(device(), {}, 16, {}), InvalidArgument);
  EXPECT_THROW(Buffer::adopt(device(), owner.location(), 16, {.kind = BufferKind::pooled}),
               InvalidArgument);
  EXPECT_THROW(Buffer::adopt(nullptr, owner.location(), 16, {}), InvalidArgument);
}

TEST_P(BufferTest, ThreadsMayMakeAndCopyBuffersAtOnce) {
  on_threads(4, [&](int thread) {
    for (int i = 0; i < 20; ++i) {
      const Buffer buffer(device(), count_up(100, thread));
      EXPECT_EQ(contents(buffer), count_up(100, thread));
    }
  });
}

}  // namespace
}  // namespace treadle::device
