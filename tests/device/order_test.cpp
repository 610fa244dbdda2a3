// SPDX-License-Identifier: MIT
// Wait lists, events of commands, host callbacks and priorities: Order of copy.hpp, StreamOptions.
#include <atomic>
#include <chrono>
#include <numeric>

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class OrderTest : public OnEachDevice {
 protected:
  /// Work of some milliseconds that ends by storing `value`.
  void slow_store(Stream& on, const Buffer& to, int value, const Order& order = {}) {
    on.launch(kernel("wait_then_set"), {.groups = 1}, order, to, 2000000, value);
  }
  int first_of(const Buffer& buffer, Stream& on, const Order& order = {}) {
    int value = -1;
    on.copy_out(&value, buffer.location(), sizeof value, order);
    on.synchronize();
    return value;
  }
  int if_run(int value, int otherwise) const { return runs_kernels() ? value : otherwise; }
};
INSTANTIATE_TEST_SUITE_P(Devices, OrderTest, each_device(), device_test_name);

TEST_P(OrderTest, EveryKindOfWorkWaitsForItsList) {
  const auto other = device()->make_stream();
  const auto event = device()->make_event(Timing::off);
  const Event* const list[] = {event.get()};
  const Order after{.after = list};
  const int pattern[] = {9};
  const Buffer a = buffer_of({0}), b = buffer_of({0});

  slow_store(stream(), a, 1, {.done = event.get()});
  EXPECT_EQ(first_of(a, *other, after), if_run(1, 0));  // a copy out

  slow_store(stream(), a, 2, {.done = event.get()});
  other->copy(b.location(), a.location(), sizeof(int), after);  // a copy within
  EXPECT_EQ(first_of(b, *other), if_run(2, 0));

  slow_store(stream(), a, 3, {.done = event.get()});
  other->fill(a.location(), std::as_bytes(std::span(pattern)), 1, after);  // a fill
  EXPECT_EQ(first_of(a, *other), 9);

  slow_store(stream(), a, 4, {.done = event.get()});
  const int five = 5;
  other->copy_in(a.location(), &five, sizeof five, after);  // a copy in
  EXPECT_EQ(first_of(a, *other), 5);

  slow_store(stream(), a, 6, {.done = event.get()});
  other->launch(kernel("set_all"), shape_for(1), after, a, 7, 1);  // a kernel
  EXPECT_EQ(first_of(a, *other), if_run(7, 5));
  stream().synchronize();
}

TEST_P(OrderTest, NothingToDoStillHasAnOrder) {
  const auto other = device()->make_stream();
  const auto event = device()->make_event(), behind = device()->make_event();
  const Event* const list[] = {event.get()};
  const Buffer a = buffer_of({0});
  slow_store(stream(), a, 1, {.done = event.get()});
  other->copy({}, {}, 0, {.after = list, .done = behind.get()});
  behind->synchronize();
  EXPECT_TRUE(event->is_done());
  stream().synchronize();
}

TEST_P(OrderTest, TheEventOfACommandIsItsEnd) {
  const Buffer a = buffer_of({0});
  const auto start = device()->make_event(), end = device()->make_event();
  stream().record(*start);
  slow_store(stream(), a, 1, {.done = end.get()});
  end->synchronize();
  EXPECT_TRUE(end->is_done());
  EXPECT_EQ(first_of(a, stream()), if_run(1, 0));
  EXPECT_GE(end->seconds_since(*start), 0.0);
}

TEST_P(OrderTest, SeveralEventsAreAllWaitedFor) {
  std::vector<std::shared_ptr<Stream>> streams;
  std::vector<std::shared_ptr<Event>> events;
  std::vector<const Event*> list;
  const Buffer sum = buffer_of({0, 0, 0, 0});
  for (unsigned i = 0; i < 4; ++i) {
    streams.push_back(device()->make_stream());
    events.push_back(device()->make_event(i % 2 == 0 ? Timing::on : Timing::off));
    list.push_back(events.back().get());
    slow_store(*streams.back(), sum.slice(0, 16), static_cast<int>(i), {.done = events[i].get()});
  }
  std::vector<int> values(4, -1);
  stream().copy_out(values.data(), sum.location(), 16, {.after = list});
  stream().synchronize();
  for (const auto& event : events) EXPECT_TRUE(event->is_done());
}

TEST_P(OrderTest, EventsOfOtherDevicesAreWaitedFor) {
  const auto there = foreign()->make_stream();
  const auto event = foreign()->make_event();
  there->record(*event);
  const Event* const list[] = {event.get()};
  const Buffer a = buffer_of({3});
  stream().wait(*event);
  EXPECT_EQ(first_of(a, stream(), {.after = list}), 3);
  // And of another context of this device.
  const UserContext user(*find_device(plain_id(GetParam())));
  const auto far = user.device()->make_event();
  user.stream()->record(*far);
  stream().wait(*far);
  stream().synchronize();
  EXPECT_TRUE(far->is_done());
}

TEST_P(OrderTest, OrdersThatCannotBeAreRefused) {
  const Buffer a = buffer_of({0});
  const Event* const list[] = {nullptr};
  int value = 0;
  expect_error<InvalidArgument>(
      [&] { stream().copy_out(&value, a.location(), 4, {.after = list}); }, {"null"});
  const auto foreign_event = foreign()->make_event();
  expect_error<InvalidArgument>(
      [&] { stream().copy_out(&value, a.location(), 4, {.done = foreign_event.get()}); },
      {"event", "null"});
}

TEST_P(OrderTest, EventsWithoutTimeHaveNone) {
  const auto timed = device()->make_event(), untimed = device()->make_event(Timing::off);
  stream().record(*timed);
  stream().record(*untimed);
  stream().synchronize();
  EXPECT_TRUE(untimed->is_done());
  EXPECT_THROW(untimed->seconds_since(*timed), InvalidState);
  EXPECT_THROW(timed->seconds_since(*untimed), InvalidState);
}

TEST_P(OrderTest, HostCallbacksComeWhenTheStreamIsPast) {
  const Buffer a = buffer_of({0});
  int copied = -1;
  std::atomic<int> seen = -2;
  slow_store(stream(), a, 1);
  stream().copy_out(&copied, a.location(), sizeof copied);
  stream().call_host([&] { seen = copied; });
  stream().synchronize();
  // A platform may call a moment after it has said that all is done.
  for (int i = 0; i < 10000 && seen == -2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(seen, if_run(1, 0));
  EXPECT_THROW(stream().call_host(nullptr), InvalidArgument);
}

TEST_P(OrderTest, StreamsTakeAnyPriority) {
  for (const int priority : {-1000, 0, 1000}) {
    const auto urgent = device()->make_stream({.priority = priority});
    const Buffer a = buffer_of({1});
    EXPECT_EQ(first_of(a, *urgent), 1);
  }
}

TEST_P(OrderTest, FillsAreWholeForEveryPattern) {
  // Equal halves, equal words, and neither: an implementation may take the shortest way to each.
  const std::uint64_t patterns[][2] = {{0, 0}, {7, 7}, {1, 2}, {0x0101010101010101, 1}};
  for (const auto& pattern : patterns) {
    const Buffer buffer(device(), 16 * 5000);
    stream().fill(buffer.location(), std::as_bytes(std::span(pattern)), 5000);
    std::vector<std::uint64_t> seen(10000);
    buffer.copy_to(seen, stream());
    stream().synchronize();
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], pattern[i % 2]) << i;
    stream().fill(buffer.location() + 8, std::as_bytes(std::span(pattern)).first(8), 9998);
    buffer.copy_to(seen, stream());
    stream().synchronize();
    for (std::size_t i = 1; i < 9999; ++i) ASSERT_EQ(seen[i], pattern[0]) << i;
    EXPECT_EQ(seen[9999], pattern[1]);
  }
}

}  // namespace
}  // namespace treadle::device
