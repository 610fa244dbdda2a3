// SPDX-License-Identifier: MIT
#include "treadle/device/stream.hpp"

#include <stdexcept>

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class StreamTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, StreamTest, each_device(), device_test_name);

std::span<const std::byte> bytes_of(const auto& values) { return std::as_bytes(std::span(values)); }

// ---- copies

TEST_P(StreamTest, CopiesInAndOutAndWithin) {
  const Buffer a(device(), 400), b(device(), 400);
  const std::vector<int> values = count_up(100);
  std::vector<int> back(100);
  stream().copy_in(a.location(), values.data(), 400);
  stream().copy(b.location() + 40, a.location() + 80, 200);
  stream().copy_out(back.data(), b.location() + 40, 200);
  stream().synchronize();
  back.resize(50);
  EXPECT_EQ(back, count_up(50, 20));
}

TEST_P(StreamTest, FetchesOnceTheCallerHasWaited) {
  const Buffer a(device(), 400), large(device(), 1 << 20);
  const std::vector<int> values = count_up(100);
  stream().copy_in(a.location(), values.data(), 400);
  std::vector<int> back(50);
  int waits = 0;
  const auto wait = [&] {
    ++waits;
    stream().synchronize();
  };
  stream().fetch(back.data(), a.location() + 80, 200, wait);
  EXPECT_EQ(back, count_up(50, 20));
  std::vector<std::byte> all(1 << 20);
  stream().fill(large.location(), bytes_of(values).first(4), all.size() / 4);
  stream().fetch(all.data(), large.location(), all.size(), wait);
  EXPECT_EQ(all[0], all.back());
  EXPECT_EQ(waits, 2);
  EXPECT_THROW(stream().fetch(nullptr, a.location(), 4, wait), InvalidArgument);
  EXPECT_THROW(stream().fetch(back.data(), a.location() + 396, 5, wait), InvalidArgument);
  EXPECT_EQ(waits, 2);
  const auto interrupted = [] { throw std::runtime_error("interrupted"); };
  EXPECT_THROW(stream().fetch(back.data(), a.location(), 200, interrupted), std::runtime_error);
  stream().fetch(back.data(), a.location(), 200, wait);
  EXPECT_EQ(back, count_up(50));
}

TEST_P(StreamTest, CopiesOfNothingAskForNothing) {
  const Buffer a(device(), 16);
  stream().copy_in({}, nullptr, 0);
  stream().copy_out(nullptr, a.location() + 16, 0);
  stream().copy({}, {}, 0);
  stream().synchronize();
}

TEST_P(StreamTest, CopiesOfFreedMemoryAreRefused) {
  Buffer a(device(), 16), b(device(), 16);
  const Location freed = a.location();
  a.free();
  int value = 0;
  expect_error<InvalidState>([&] { stream().copy_in(freed, &value, 4); }, {"destination", "freed"});
  expect_error<InvalidState>([&] { stream().copy_out(&value, freed, 4); }, {"source"});
  EXPECT_THROW(stream().copy(b.location(), freed, 4), InvalidState);
  EXPECT_THROW(stream().copy(freed, b.location(), 4), InvalidState);
}

TEST_P(StreamTest, CopiesOfForeignMemoryAreRefused) {
  const Buffer other(foreign(), 16), own(device(), 16);
  int value = 0;
  EXPECT_THROW(stream().copy_in(other.location(), &value, 4), InvalidState);
  EXPECT_THROW(stream().copy_out(&value, other.location(), 4), InvalidState);
  EXPECT_THROW(stream().copy(own.location(), other.location(), 4), InvalidState);
}

TEST_P(StreamTest, CopiesPastTheEndAreRefused) {
  const Buffer a(device(), 16);
  std::vector<char> host(64);
  expect_error<InvalidArgument>([&] { stream().copy_in(a.location(), host.data(), 17); },
                                {"16 bytes", "17 bytes"});
  EXPECT_THROW(stream().copy_in(a.location() + 8, host.data(), 9), InvalidArgument);
  EXPECT_THROW(stream().copy_out(host.data(), a.location() + 17, 1), InvalidArgument);
  EXPECT_THROW(stream().copy_out(host.data(), a.location() + 8, ~std::size_t{0}), InvalidArgument);
}

TEST_P(StreamTest, CopiesThatOverlapThemselvesAreRefused) {
  const Buffer a(device(), 64);
  EXPECT_THROW(stream().copy(a.location(), a.location() + 8, 16), InvalidArgument);
  EXPECT_THROW(stream().copy(a.location() + 8, a.location(), 16), InvalidArgument);
  stream().copy(a.location() + 16, a.location(), 16);
  stream().synchronize();
}

TEST_P(StreamTest, CopiesFromNowhereAreRefused) {
  const Buffer a(device(), 16);
  EXPECT_THROW(stream().copy_in(a.location(), nullptr, 4), InvalidArgument);
  EXPECT_THROW(stream().copy_out(nullptr, a.location(), 4), InvalidArgument);
}

TEST_P(StreamTest, LargeCopiesArriveWhole) {
  const std::vector<int> values = count_up(3'000'001);
  Buffer buffer(device(), values.size() * sizeof(int));
  std::vector<int> back(values.size());
  buffer.copy_from(values, stream());
  buffer.copy_to(back, stream());
  stream().synchronize();
  EXPECT_EQ(back, values);
}

// ---- fills

TEST_P(StreamTest, FillsEveryPatternSize) {
  const std::vector<std::uint8_t> pattern = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (const std::size_t size : {1u, 2u, 4u, 8u, 16u}) {
    const Buffer buffer(device(), 16 * 20);
    std::vector<std::uint8_t> values(16 * 20);
    const std::vector<std::uint8_t> zero(1, 0);
    stream().fill(buffer.location(), bytes_of(zero), 16 * 20);
    stream().fill(buffer.location() + 16, bytes_of(pattern).first(size), 10);
    buffer.copy_to(values, stream());
    stream().synchronize();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_filled = i >= 16 && i < 16 + 10 * size;
      ASSERT_EQ(values[i], is_filled ? pattern[(i - 16) % size] : 0)
          << "byte " << i << " of " << size;
    }
  }
}

TEST_P(StreamTest, FillsOfNothingAskForNothing) {
  const std::vector<int> pattern = {1};
  stream().fill({}, bytes_of(pattern), 0);
  stream().synchronize();
}

TEST_P(StreamTest, FillsWithOddPatternsAreRefused) {
  const Buffer buffer(device(), 64);
  const std::vector<std::byte> pattern(32);
  for (const std::size_t size : {0u, 3u, 32u})
    expect_error<InvalidArgument>(
        [&] { stream().fill(buffer.location(), std::span(pattern).first(size), 1); },
        {std::to_string(size) + " bytes", "1, 2, 4, 8 or 16"});
  EXPECT_THROW(stream().fill(buffer.location() + 2, std::span(pattern).first(4), 1),
               InvalidArgument);
}

TEST_P(StreamTest, FillsOfFreedForeignOrTooLittleMemoryAreRefused) {
  const Buffer other(foreign(), 16), own(device(), 16);
  Buffer freed(device(), 16);
  const Location gone = freed.location();
  freed.free();
  const std::vector<int> pattern = {7};
  EXPECT_THROW(stream().fill(gone, bytes_of(pattern), 1), InvalidState);
  EXPECT_THROW(stream().fill(other.location(), bytes_of(pattern), 1), InvalidState);
  EXPECT_THROW(stream().fill(own.location(), bytes_of(pattern), 5), InvalidArgument);
  EXPECT_THROW(stream().fill(own.location(), bytes_of(pattern), ~std::size_t{0}), InvalidArgument);
}

// ---- order

TEST_P(StreamTest, WorkOfAStreamIsInOrder) {
  const std::vector<int> ones(1000, 1);
  const Buffer a(device(), 4000), b(device(), 4000);
  const Kernel set_all = kernel("set_all"), add_to = kernel("add_to");
  const std::vector<int> pattern = {3};
  std::vector<int> back(1000);
  stream().fill(a.location(), bytes_of(pattern), 1000);
  b.copy_to(back, stream());
  stream().copy_in(b.location(), ones.data(), 4000);
  for (int i = 0; i < 20; ++i) stream().launch(add_to, shape_for(1000), a, b, 1000);
  a.copy_to(back, stream());
  stream().launch(set_all, shape_for(1000), a, 0, 1000);
  stream().synchronize();
  EXPECT_EQ(back, std::vector<int>(1000, runs_kernels() ? 23 : 3));
}

TEST_P(StreamTest, EventsOrderStreams) {
  const auto other = device()->make_stream();
  const auto event = device()->make_event();
  const Buffer a = buffer_of({0}), b = buffer_of({0});
  const Kernel slow = kernel("wait_then_set");
  for (int i = 1; i <= 10; ++i) {
    stream().launch(slow, {.groups = 1}, a, 200000, i);
    stream().record(*event);
    other->wait(*event);
    other->copy(b.location(), a.location(), sizeof(int));
    other->record(*event);
    stream().wait(*event);  // before `a` is written again
    int seen = 0;
    other->copy_out(&seen, b.location(), sizeof(int));
    other->synchronize();
    EXPECT_EQ(seen, runs_kernels() ? i : 0);
  }
}

TEST_P(StreamTest, WaitedForEventMayGoAtOnce) {
  const auto other = device()->make_stream();
  const Buffer a = buffer_of({0});
  stream().launch(kernel("wait_then_set"), {.groups = 1}, a, 1000000, 4);
  {
    const auto event = device()->make_event();
    stream().record(*event);
    other->wait(*event);
  }
  int seen = 0;
  other->copy_out(&seen, a.location(), sizeof(int));
  other->synchronize();
  EXPECT_EQ(seen, runs_kernels() ? 4 : 0);
}

TEST_P(StreamTest, WaitMeansWhatWasRecordedThen) {
  const auto other = device()->make_stream();
  const auto event = device()->make_event();
  const Buffer a = buffer_of({0});
  stream().record(*event);
  other->wait(*event);
  stream().launch(kernel("wait_then_set"), {.groups = 1}, a, 1000, 4);
  stream().record(*event);
  other->synchronize();
  stream().synchronize();
}

TEST_P(StreamTest, ForeignEventsAreRefused) {
  const auto event = foreign()->make_event();
  expect_error<InvalidArgument>([&] { stream().record(*event); }, {"event", "null", info().id});
  expect_error<InvalidArgument>(
      [&] { stream().launch(kernel("no_parameters"), {}, {.done = event.get()}); },
      {"event", "null", info().id});
}

TEST_P(StreamTest, EmptyStreamIsDone) {
  const auto fresh = device()->make_stream();
  EXPECT_TRUE(fresh->is_done());
  fresh->synchronize();
  EXPECT_TRUE(fresh->is_done());
}

TEST_P(StreamTest, IsDoneAfterSynchronize) {
  const Buffer a = buffer_of({0});
  stream().launch(kernel("wait_then_set"), {.groups = 1}, a, 1000, 4);
  stream().is_done();
  stream().synchronize();
  EXPECT_TRUE(stream().is_done());
}

TEST_P(StreamTest, DestroyingAStreamDropsNoWork) {
  const Buffer a = buffer_of({0});
  const auto event = device()->make_event();
  {
    const auto other = device()->make_stream();
    other->launch(kernel("wait_then_set"), {.groups = 1}, a, 1000000, 4);
    other->record(*event);
  }
  event->synchronize();
  EXPECT_EQ(contents(a), std::vector<int>{runs_kernels() ? 4 : 0});
}

// ---- threads

TEST_P(StreamTest, ThreadsMayShareAStream) {
  const Kernel add_to = kernel("add_to");
  const Buffer sum = buffer_of(std::vector<int>(256, 0)), one = buffer_of(std::vector<int>(256, 1));
  on_threads(4, [&](int) {
    for (int i = 0; i < 50; ++i) stream().launch(add_to, shape_for(256), sum, one, 256);
  });
  stream().synchronize();
  EXPECT_EQ(contents(sum), std::vector<int>(256, runs_kernels() ? 200 : 0));
}

TEST_P(StreamTest, ThreadsMayCopyOnStreamsOfTheirOwn) {
  on_threads(4, [&](int thread) {
    const auto own = device()->make_stream();
    const std::vector<int> values = count_up(5000, 1000 * thread);
    Buffer buffer(device(), values.size() * sizeof(int));
    for (int i = 0; i < 10; ++i) {
      std::vector<int> back(values.size());
      buffer.copy_from(values, *own);
      buffer.copy_to(back, *own);
      own->synchronize();
      EXPECT_EQ(back, values);
    }
  });
}

TEST_P(StreamTest, ThreadsMaySynchronizeWhileOthersQueue) {
  const Kernel set_all = kernel("set_all");
  const Buffer a = buffer_of(std::vector<int>(64, 0));
  on_threads(4, [&](int thread) {
    for (int i = 0; i < 30; ++i) {
      if (thread % 2 == 0) {
        stream().launch(set_all, shape_for(64), a, i, 64);
      } else {
        stream().is_done();
        stream().synchronize();
      }
    }
  });
}

}  // namespace
}  // namespace treadle::device
