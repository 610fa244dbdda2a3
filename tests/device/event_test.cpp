// SPDX-License-Identifier: MIT
#include "treadle/device/event.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class EventTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, EventTest, each_device(), device_test_name);

TEST_P(EventTest, NothingRecordedIsDone) {
  const auto event = device()->make_event();
  EXPECT_TRUE(event->is_done());
  event->synchronize();
  stream().wait(*event);
  stream().synchronize();
}

TEST_P(EventTest, IsDoneWhenTheWorkBeforeItIs) {
  const Buffer buffer = buffer_of({0});
  const auto event = device()->make_event();
  stream().launch(kernel("wait_then_set"), {.groups = 1, .group_size = 1}, buffer, 1000, 5);
  stream().record(*event);
  event->synchronize();
  EXPECT_TRUE(event->is_done());
  EXPECT_EQ(contents(buffer), std::vector<int>{runs_kernels() ? 5 : 0});
}

TEST_P(EventTest, TimeBetweenEventsIsThatOfTheWork) {
  const Buffer buffer = buffer_of({0});
  const auto start = device()->make_event(), end = device()->make_event();
  const Kernel slow = kernel("wait_then_set");
  stream().record(*start);
  for (int i = 0; i < 3; ++i) stream().launch(slow, {.groups = 1}, buffer, 100000, 5);
  stream().record(*end);
  end->synchronize();
  EXPECT_GE(end->seconds_since(*start), 0.0);
  EXPECT_LE(start->seconds_since(*end), 0.0);
  EXPECT_LT(end->seconds_since(*start), 60.0);
}

TEST_P(EventTest, TimeOfWhatWasNotRecordedIsRefused) {
  const auto start = device()->make_event(), end = device()->make_event();
  expect_error<InvalidState>([&] { end->seconds_since(*start); }, {"not recorded"});
  stream().record(*end);
  end->synchronize();
  EXPECT_THROW(end->seconds_since(*start), InvalidState);
}

TEST_P(EventTest, ClocksOfTwoDevicesAreNotCompared) {
  const auto here = device()->make_event(), there = foreign()->make_event();
  expect_error<InvalidArgument>([&] { here->seconds_since(*there); }, {info().id, "null"});
}

TEST_P(EventTest, SecondRecordReplacesTheFirst) {
  const auto start = device()->make_event(), event = device()->make_event();
  stream().record(*event);
  stream().record(*start);
  stream().synchronize();
  stream().record(*event);
  event->synchronize();
  EXPECT_GE(event->seconds_since(*start), 0.0);
}

TEST_P(EventTest, ThreadsMayWaitWhileOthersRecord) {
  const auto event = device()->make_event();
  on_threads(4, [&](int thread) {
    for (int i = 0; i < 50; ++i) {
      if (thread % 2 == 0) {
        stream().record(*event);
      } else {
        event->synchronize();
        event->is_done();
      }
    }
  });
}

TEST_P(EventTest, OutlivesItsStream) {
  const auto event = device()->make_event();
  {
    const auto other = device()->make_stream();
    other->record(*event);
  }
  event->synchronize();
  EXPECT_TRUE(event->is_done());
}

}  // namespace
}  // namespace treadle::device
