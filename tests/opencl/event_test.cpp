// SPDX-License-Identifier: MIT
#include "treadle/opencl/event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "opencl/each_platform.hpp"
#include "treadle/opencl/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

using testing::HasSubstr;

class EventTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, EventTest, each_platform, platform_test_name);

TEST_P(EventTest, TellsItsCommandQueueAndContext) {
  const Event event = queue().marker();
  event.wait();
  EXPECT_EQ(event.status(), CL_COMPLETE);
  EXPECT_TRUE(event.is_done());
  EXPECT_EQ(event.get<EventInfo::command_type>(), std::uint64_t{CL_COMMAND_MARKER});
  EXPECT_EQ(event.get<EventInfo::command_queue>(), queue().raw());
  EXPECT_EQ(event.get<EventInfo::context>(), context().raw());
  EXPECT_EQ(event.get<EventInfo::command_execution_status>(), CL_COMPLETE);
}

TEST_P(EventTest, HasTimesInOrderWhereTheQueueProfiles) {
  const Queue profiling(context(), CommandQueueProperties::profiling_enable);
  const Buffer a(context(), 4096);
  const Event event = fill(profiling, a, std::vector<int>{1}, 0, 4096);
  event.wait();
  EXPECT_LE(event.profiling(ProfilingInfo::queued), event.profiling(ProfilingInfo::submit));
  EXPECT_LE(event.profiling(ProfilingInfo::submit), event.profiling(ProfilingInfo::start));
  EXPECT_LE(event.profiling(ProfilingInfo::start), event.profiling(ProfilingInfo::end));
}

TEST_P(EventTest, WithoutProfilingSaysWhatIsMissing) {
  const Event event = queue().marker();
  event.wait();
  const DeviceError error = device_error_of([&] { event.profiling(ProfilingInfo::end); });
  EXPECT_EQ(error.code_name(), "CL_PROFILING_INFO_NOT_AVAILABLE");
  EXPECT_THAT(error.what(), HasSubstr("profiling_enable"));
}

TEST_P(EventTest, OfTheUserHoldsCommandsBack) {
  const UserEvent start(context());
  EXPECT_FALSE(start.is_done());
  const Event held = queue().marker({.after = start});
  queue().flush();
  EXPECT_FALSE(held.is_done());
  start.set_status(0);
  held.wait();
  EXPECT_TRUE(held.is_done());
}

TEST_P(EventTest, OfTheUserReleasesAWaitingThread) {
  const UserEvent start(context());
  std::thread waiting([&] { start.wait(); });
  start.set_status(0);
  waiting.join();
  EXPECT_TRUE(start.is_done());
}

TEST_P(EventTest, OfTheUserEndsOnce) {
  const UserEvent event(context());
  EXPECT_EQ(device_error_of([&] { event.set_status(5); }).call(), "clSetUserEventStatus");
  event.set_status(0);
  EXPECT_THAT(device_error_of([&] { event.set_status(0); }).what(), HasSubstr("can be set once"));
}

TEST_P(EventTest, AFailedOneIsAnErrorOfTheWaitThatNamesIt) {
  const UserEvent event(context());
  event.set_status(CL_OUT_OF_RESOURCES);
  EXPECT_EQ(event.status(), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(event.is_done());
  const DeviceError error = device_error_of([&] { event.wait(); });
  EXPECT_EQ(error.code_name(), "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
  EXPECT_THAT(error.what(), HasSubstr("the command USER ended with CL_OUT_OF_RESOURCES"));
}

TEST_P(EventTest, ManyAreWaitedForAtOnce) {
  const Event events[] = {queue().marker(), queue().barrier(), queue().marker()};
  wait_for(events);
  for (const Event& event : events) EXPECT_TRUE(event.is_done());
}

TEST_P(EventTest, CallbacksGetTheStatusOnce) {
  const UserEvent event(context());
  std::promise<int> status;
  int calls = 0;
  event.set_callback(CommandExecutionStatus::complete, [&](int said) {
    ++calls;
    status.set_value(said);
  });
  event.set_status(0);
  EXPECT_EQ(status.get_future().get(), CL_COMPLETE);
  EXPECT_EQ(calls, 1);
}

TEST_P(EventTest, WhatACallbackThrowsIsAWarning) {
  std::promise<std::string> warning;
  const auto before =
      set_warning_handler([&](std::string_view text) { warning.set_value(std::string(text)); });
  const UserEvent event(context());
  event.set_callback(CommandExecutionStatus::complete, [](int) { throw InvalidState("no"); });
  event.set_status(0);
  EXPECT_THAT(warning.get_future().get(), HasSubstr("callback threw: no"));
  set_warning_handler(before);
}

TEST_P(EventTest, KeepsItselfWhenItsQueueIsGone) {
  Event event;
  {
    const Queue local(context());
    event = local.marker();
  }
  event.wait();
  EXPECT_TRUE(event.is_done());
}

TEST(OpenCLEvent, NoneIsNothingToWaitFor) {
  EXPECT_THROW(wait_for({}), InvalidArgument);
  EXPECT_FALSE(Event());
  EXPECT_THROW(Event().wait(), InvalidState);
}

TEST(OpenCLWaitList, IsMadeOfEventsInOrder) {
  const auto table = std::make_shared<Table>();
  const auto number = [&](std::uintptr_t n) {
    return Event(table, reinterpret_cast<RawEvent>(n), Ownership::adopt);
  };
  // The table has no release; what it would say about that is not of interest here.
  const auto before = set_warning_handler([](std::string_view) {});
  {
    const Event a = number(8), b = number(16);
    EXPECT_EQ(WaitList().data(), nullptr);
    EXPECT_EQ(WaitList(a).size(), 1u);
    const WaitList both = {a, b};
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both.data()[1], b.raw());
    const std::vector<Event> empty;
    WaitList list{std::span(empty)};
    list.add(a);
    EXPECT_EQ(list.size(), 1u);
  }
  set_warning_handler(before);
}

}  // namespace
}  // namespace treadle::opencl
