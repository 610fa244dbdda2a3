// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::cuda {
namespace {

class OnCopy : public OnEachProvider {};

std::vector<std::uint8_t> bytes_of(const DeviceMemory& memory) {
  std::vector<std::uint8_t> bytes(memory.size_bytes());
  memory.copy_to(bytes);
  return bytes;
}

TEST_P(OnCopy, MovesBytesEveryWay) {
  std::vector<std::uint8_t> source(256), back(256);
  std::iota(source.begin(), source.end(), std::uint8_t{0});
  const DeviceMemory first(256), second(256), third(256);
  copy_to_device(first.address(), source.data(), 256);
  copy_on_device(second.address(), first.address(), 256);
  copy(third.address(), second.address(), 256);
  copy_to_host(back.data(), third.address(), 256);
  EXPECT_EQ(back, source);
}

TEST_P(OnCopy, SaysWhichSideHasNoRoom) {
  std::vector<std::uint8_t> host(8 << 20);
  const DeviceMemory small(1 << 20), large(8 << 20);
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message([&] {
              copy_to_device(small.address(), host.data(), host.size());
            }).find("8388608 bytes, and the destination has 1048576"),
            std::string::npos);
  EXPECT_NE(message([&] {
              copy_on_device(large.address(), small.address() + 16, 2 << 20);
            }).find("2097152 bytes, and the source has 1048560 from that address on"),
            std::string::npos);
  EXPECT_NE(message([&] {
              fill32(small.address(), 1, 1 << 20);
            }).find("4194304 bytes, and the destination has 1048576"),
            std::string::npos);
}

TEST_P(OnCopy, MovesBytesInAStreamsOrder) {
  std::vector<std::uint8_t> source(256, 7), back(256);
  const DeviceMemory first(256), second(256);
  const Stream stream(StreamFlags::non_blocking);
  copy_to_device_async(first.address(), source.data(), 256, stream);
  copy_on_device_async(second.address(), first.address(), 256, stream);
  fill8_async(second.address(), 9, 128, stream);
  copy_to_host_async(back.data(), second.address(), 256, stream);
  stream.synchronize();
  EXPECT_EQ(back[127], 9);
  EXPECT_EQ(back[128], 7);
}

// NVIDIA's driver returns from copies of up to 64 KiB while their bytes are on their way.
TEST_P(OnCopy, IsDoneForNonBlockingStreamsTooWhenItReturns) {
  constexpr std::size_t size = 60'000;
  DeviceMemory first(size), second(size);
  const Stream stream(StreamFlags::non_blocking);
  std::vector<std::uint8_t> source(size), back(size);
  for (int round = 0; round < 300; ++round) {
    std::ranges::fill(source, static_cast<std::uint8_t>(round));
    if (round % 2 == 0)
      first.copy_from(source);
    else
      copy_to_device(first.address(), source.data(), size);
    copy_on_device_async(second.address(), first.address(), size, stream);
    stream.synchronize();
    copy_to_host(back.data(), second.address(), size);
    ASSERT_EQ(back, source) << round;
  }
}

TEST(Copy, FromTheHostWaitsForBytesThatAreStillStaged) {
  fake::reset();
  set_default_driver(fake::driver(), "a test");
  const auto context = Context::make_current(fake::device());
  DeviceMemory memory(16);
  const std::vector<std::uint8_t> source(16);
  const auto expect_waited = [](const char* call) {
    const auto& calls = fake::state().calls;
    ASSERT_GE(calls.size(), 2u);
    EXPECT_TRUE(calls[calls.size() - 2].starts_with(call)) << calls[calls.size() - 2];
    EXPECT_TRUE(calls.back().starts_with("cuStreamSynchronize")) << calls.back();
  };
  memory.copy_from(source);
  expect_waited("cuMemcpyHtoD");
  copy_to_device(memory.address(), source.data(), 16);
  expect_waited("cuMemcpyHtoD");
  const int waits = fake::state().count("cuStreamSynchronize");
  std::vector<std::uint8_t> back(16);
  memory.copy_to(back);
  EXPECT_EQ(fake::state().count("cuStreamSynchronize"), waits);
}

TEST_P(OnCopy, FillsCountElements) {
  const DeviceMemory memory(16);
  fill32(memory.address(), 0x04030201, 4);
  fill16(memory.address(), 0x0605, 2);
  fill8(memory.address(), 9, 1);
  EXPECT_EQ(bytes_of(memory),
            (std::vector<std::uint8_t>{9, 6, 5, 6, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST_P(OnCopy, FillsAreasRowByRow) {
  const DeviceMemory memory = DeviceMemory::pitched(8, 3, 4);
  fill8(memory.address(), 0, memory.size_bytes());
  const std::size_t pitch = memory.pitch_bytes();
  fill_2d8({memory.address(), pitch, 3, 2}, 1);
  fill_2d16({memory.address() + 2 * pitch, pitch, 1, 1}, 0x0202);
  fill_2d32({memory.address() + 4, pitch, 1, 1}, 0x03030303);
  const auto bytes = bytes_of(memory);
  EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.begin() + 8),
            (std::vector<std::uint8_t>{1, 1, 1, 0, 3, 3, 3, 3}));
  EXPECT_EQ(bytes[pitch + 2], 1);
  EXPECT_EQ(bytes[pitch + 3], 0);
  EXPECT_EQ(bytes[2 * pitch], 2);
  EXPECT_EQ(bytes[2 * pitch + 2], 0);
}

TEST_P(OnCopy, FillsAreasInAStreamsOrder) {
  const DeviceMemory memory = DeviceMemory::pitched(8, 3, 4);
  const std::size_t pitch = memory.pitch_bytes();
  const Stream stream(StreamFlags::non_blocking);
  fill_2d8_async({memory.address(), pitch, 8, 3}, 1, stream);
  fill_2d16_async({memory.address() + 2, pitch, 1, 3}, 0x0302, stream);
  fill_2d32_async({memory.address() + pitch + 4, pitch, 1, 2}, 0x07060504, stream);
  stream.synchronize();
  const auto bytes = bytes_of(memory);
  const std::vector<std::uint8_t> first{1, 1, 2, 3, 1, 1, 1, 1}, others{1, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t row = 0; row < 3; ++row) {
    const auto start = bytes.begin() + static_cast<std::ptrdiff_t>(row * pitch);
    EXPECT_EQ(std::vector<std::uint8_t>(start, start + 8), row == 0 ? first : others) << row;
  }
  EXPECT_THROW(fill_2d16_async({memory.address() + 1, pitch, 1, 3}, 0, stream), DeviceError);
}

TEST_P(OnCopy, CopiesRectanglesBetweenPitches) {
  constexpr std::size_t width = 12, height = 5;
  std::vector<std::uint8_t> source(width * height), back(2 * width * height);
  std::iota(source.begin(), source.end(), std::uint8_t{0});
  const DeviceMemory memory = DeviceMemory::pitched(width, height, 4);
  Copy2D in{.width_bytes = width, .height = height};
  in.source = {.type = MemoryType::host, .host = source.data(), .pitch_bytes = width};
  in.destination = {
      .type = MemoryType::device, .device = memory.address(), .pitch_bytes = memory.pitch_bytes()};
  copy_2d(in);

  // One row and two columns further in, into rows of twice the width.
  Copy2D out{.width_bytes = width - 2, .height = height - 1};
  out.source = in.destination;
  out.source.x_bytes = 2;
  out.source.y = 1;
  out.destination = {.type = MemoryType::host, .host = back.data(), .pitch_bytes = 2 * width};
  copy_2d_unaligned(out);
  for (std::size_t row = 0; row + 1 < height; ++row)
    for (std::size_t column = 0; column + 2 < width; ++column)
      EXPECT_EQ(back[row * 2 * width + column], source[(row + 1) * width + column + 2]);

  const Stream stream;
  std::vector<std::uint8_t> async(width * height);
  Copy2D whole{.width_bytes = width, .height = height};
  whole.source = in.destination;
  whole.destination = {.type = MemoryType::host, .host = async.data(), .pitch_bytes = width};
  copy_2d_async(whole, stream);
  stream.synchronize();
  EXPECT_EQ(async, source);
}

TEST_P(OnCopy, CopiesBoxes) {
  constexpr std::size_t width = 4, height = 3, depth = 2, size = width * height * depth;
  std::vector<std::uint8_t> source(size), back(size);
  std::iota(source.begin(), source.end(), std::uint8_t{1});
  const DeviceMemory memory(size);
  Copy3D in{.width_bytes = width, .height = height, .depth = depth};
  in.source = {
      .type = MemoryType::host, .host = source.data(), .pitch_bytes = width, .height = height};
  in.destination = {.type = MemoryType::device,
                    .device = memory.address(),
                    .pitch_bytes = width,
                    .height = height};
  copy_3d(in);
  Copy3D out{.width_bytes = width, .height = height, .depth = depth};
  out.source = in.destination;
  out.destination = {
      .type = MemoryType::host, .host = back.data(), .pitch_bytes = width, .height = height};
  const Stream stream;
  copy_3d_async(out, stream);
  stream.synchronize();
  EXPECT_EQ(back, source);
}

TEST_P(OnCopy, ASideThatWasNotSetIsRefused) {
  EXPECT_THROW(copy_2d({.width_bytes = 4, .height = 1}), InvalidArgument);
}

TEST_P(OnCopy, P17_NegativeSizesAreErrors) {
  const DeviceMemory first(64), second(64);
  std::vector<std::uint8_t> host(64);
  for (const std::ptrdiff_t negative : {-1, -4, -64}) {
    const auto size = static_cast<std::size_t>(negative);
    EXPECT_THROW(copy_on_device(first.address(), second.address(), size), InvalidArgument);
    EXPECT_THROW(copy_to_device(first.address(), host.data(), size), InvalidArgument);
    EXPECT_THROW(copy_to_host(host.data(), first.address(), size), InvalidArgument);
    EXPECT_THROW(fill8(first.address(), 0, size), InvalidArgument);
    EXPECT_THROW(fill32(first.address(), 0, size), InvalidArgument);
    EXPECT_THROW(fill_2d8({first.address(), 8, size, 2}, 0), InvalidArgument);
    EXPECT_THROW(fill_2d8({first.address(), 8, 8, size}, 0), InvalidArgument);
    EXPECT_THROW(copy_2d({.width_bytes = size, .height = 1}), InvalidArgument);
    EXPECT_THROW(copy_3d({.width_bytes = 4, .height = 1, .depth = size}), InvalidArgument);
  }
}

TEST_P(OnCopy, PeersMayBeOneContext) {
  const DeviceMemory first(64), second(64);
  fill8(first.address(), 5, 64);
  copy_peer({second.address(), context()}, {first.address(), {}}, 64);
  context().synchronize();
  EXPECT_EQ(bytes_of(second), std::vector<std::uint8_t>(64, 5));
}

TEST_P(OnCopy, BoxesMoveBetweenContextsInAStreamsOrder) {
  const Context other = Context::create(device());
  {
    const DeviceMemory first(64);
    std::optional<DeviceMemory> second;
    {
      const auto current = Context::make_current(other);
      second.emplace(std::size_t{64});
    }
    const Stream stream(StreamFlags::non_blocking);
    fill8_async(first.address(), 6, 64, stream);
    Copy3D copy{.width_bytes = 4, .height = 4, .depth = 4};
    copy.source = {.type = MemoryType::device,
                   .device = first.address(),
                   .pitch_bytes = 4,
                   .height = 4,
                   .context = context()};
    copy.destination = copy.source;
    copy.destination.device = second->address();
    copy.destination.context = other;
    copy_3d_peer_async(copy, stream);
    stream.synchronize();
    EXPECT_EQ(bytes_of(*second), std::vector<std::uint8_t>(64, 6));
  }
  other.detach();
}

INSTANTIATE_TEST_SUITE_P(Providers, OnCopy, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
