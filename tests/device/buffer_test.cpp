// SPDX-License-Identifier: MIT
#include "treadle/device/buffer.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

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
