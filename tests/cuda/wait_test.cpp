// SPDX-License-Identifier: MIT
#include "treadle/cuda/wait.hpp"

#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

WaitAnswer go_on() { return WaitAnswer::go_on; }
WaitAnswer leave() { return WaitAnswer::leave; }
WaitAnswer never_asked() {
  ADD_FAILURE() << "nothing takes long here";
  return WaitAnswer::leave;
}

// ---- a driver that is asked: the wait is a loop over its query

int busy_queries = 0;  // how often the fake says "not ready"

CUresult answer(const char* name) {
  fake::state().calls.push_back(name);
  return busy_queries-- > 0 ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

std::shared_ptr<Table> busy_table(int queries) {
  fake::reset();
  busy_queries = queries;
  auto table = fake::make_table();
  table->cuStreamQuery = [](CUstream) { return answer("cuStreamQuery"); };
  table->cuEventQuery = [](CUevent) { return answer("cuEventQuery"); };
  table->cuEventSynchronize = [](CUevent) {
    fake::state().calls.push_back("cuEventSynchronize");
    return CUDA_SUCCESS;
  };
  return table;
}

constexpr int for_ever = 1 << 30;

struct Polled {
  explicit Polled(int queries)
      : context(Context::create(Device(Driver(busy_table(queries)), 0))), stream(context) {}
  Context context;
  Stream stream;
};

TEST(Wait, ReturnsWhenTheWorkIsDone) {
  Polled driver(3);
  EXPECT_EQ(wait(driver.stream, never_asked), WaitResult::done);
  EXPECT_EQ(fake::state().count("cuStreamSynchronize"), 1) << "errors surface in the waiting call";
}

TEST(Wait, IsLeftAsTheAnswerSays) {
  Polled driver(for_ever);
  EXPECT_EQ(wait(driver.stream, leave), WaitResult::interrupted);
  const Event event(driver.context);
  EXPECT_EQ(wait(event, leave), WaitResult::interrupted);
  EXPECT_EQ(wait(driver.context, leave), WaitResult::interrupted);
  EXPECT_EQ(fake::state().count("cuStreamSynchronize"), 0);
  EXPECT_EQ(fake::state().count("cuEventSynchronize"), 0);
  EXPECT_EQ(fake::state().count("cuCtxSynchronize"), 0);
}

TEST(Wait, AsksAgainAfterGoOn) {
  Polled driver(for_ever);
  int asked = 0;
  const auto third = [&] { return ++asked < 3 ? WaitAnswer::go_on : WaitAnswer::leave; };
  EXPECT_EQ(wait(driver.stream, third), WaitResult::interrupted);
  EXPECT_EQ(asked, 3);
}

TEST(Wait, ThrowsWhatTheWaitingCallThrows) {
  Polled driver(0);
  fake::state().fail_next["cuStreamSynchronize"] = 719;
  EXPECT_THROW(static_cast<void>(wait(driver.stream, never_asked)), LaunchError);
  fake::state().fail_next["cuCtxSynchronize"] = 719;
  EXPECT_THROW(static_cast<void>(wait(driver.context, never_asked)), LaunchError);
}

TEST(Wait, OfTheContextLooksBehindTheBlockingStreamsByAnEvent) {
  Polled driver(2);
  EXPECT_EQ(wait(driver.context, never_asked), WaitResult::done);
  EXPECT_EQ(fake::state().count("cuEventRecord"), 1);
  EXPECT_EQ(fake::state().count("cuCtxSynchronize"), 1);
}

TEST(WaitIn, RunsTheCallOnlyWhenNothingIsBeforeIt) {
  int ran = 0;
  Polled idle(1);
  EXPECT_EQ(wait_in(idle.context, never_asked, [&] { ++ran; }), WaitResult::done);
  EXPECT_EQ(ran, 1);
  Polled busy(for_ever);
  EXPECT_EQ(wait_in(busy.context, leave, [&] { ++ran; }), WaitResult::interrupted);
  EXPECT_EQ(ran, 1);
}

TEST(Wait, ForWhatNoObjectOfTheShellStandsForAsksAndThenWaits) {
  Polled driver(0);
  int left_to_do = 3, waits = 0;
  const auto is_done = [&] { return left_to_do-- <= 0; };
  const auto synchronize = [&] { ++waits; };
  EXPECT_EQ(wait(driver.context, never_asked, is_done, synchronize), WaitResult::done);
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(
      wait(driver.context, leave, [] { return false; }, synchronize), WaitResult::interrupted);
  EXPECT_EQ(waits, 1) << "a wait that was left must not block";
  EXPECT_THROW(static_cast<void>(wait(driver.context, {}, is_done, synchronize)), InvalidArgument);
}

TEST(EndWork, IsNotSupportedWhereTheDriverCannot) {
  Polled driver(0);
  EXPECT_THROW(end_work(driver.context), NotSupported);
}

// ---- a driver that asks

int (*installed_hook)() = nullptr;
int questions_before_done = 0;
int ended_work = 0;

CUresult ask_until_done(const char* name) {
  fake::state().calls.push_back(name);
  for (int i = 0; i < questions_before_done; ++i)
    if (installed_hook() != 0) return CUDA_ERROR_NOT_READY;
  return CUDA_SUCCESS;
}

Context asking_context(int questions) {
  fake::reset();
  questions_before_done = questions;
  ended_work = 0;
  auto table = fake::make_table();
  table->set_wait_hook = [](int (*hook)()) { installed_hook = hook; };
  table->end_work = [](CUcontext) {
    ++ended_work;
    return CUDA_SUCCESS;
  };
  table->cuCtxSynchronize = [] { return ask_until_done("cuCtxSynchronize"); };
  table->cuStreamSynchronize = [](CUstream) { return ask_until_done("cuStreamSynchronize"); };
  return Context::create(Device(Driver(table), 0));
}

TEST(WaitOnADriverThatAsks, PassesTheQuestionOn) {
  const Context context = asking_context(5);
  int asked = 0;
  const auto count = [&] { return ++asked, WaitAnswer::go_on; };
  EXPECT_EQ(wait(context, count), WaitResult::done);
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(wait(context, leave), WaitResult::interrupted);
  EXPECT_EQ(wait(Stream(context), leave), WaitResult::interrupted);
  EXPECT_EQ(fake::state().count("cuStreamQuery"), 0);
}

TEST(WaitOnADriverThatAsks, PassesTheQuestionOnForAnyWaitingCall) {
  const Context context = asking_context(5);
  const auto never_polled = [] { return ADD_FAILURE() << "the driver asks", false; };
  const auto synchronize = [] {
    if (ask_until_done("a call") != CUDA_SUCCESS)
      raise(*fake::make_table(), CUDA_ERROR_NOT_READY, "a call");
  };
  EXPECT_EQ(wait(context, go_on, never_polled, synchronize), WaitResult::done);
  EXPECT_EQ(wait(context, leave, never_polled, synchronize), WaitResult::interrupted);
}

TEST(WaitOnADriverThatAsks, LeavesOtherWaitsOfTheThreadAlone) {
  const Context context = asking_context(1);
  EXPECT_EQ(wait(context, go_on), WaitResult::done);
  const Stream stream(context);
  EXPECT_NO_THROW(stream.synchronize());
  EXPECT_EQ(installed_hook(), 0);
}

TEST(WaitOnADriverThatAsks, NotReadyWithoutALeaveIsTheDriversError) {
  const Context context = asking_context(0);
  const auto call = [] { raise(*fake::make_table(), CUDA_ERROR_NOT_READY, "cuMemcpy"); };
  EXPECT_THROW(static_cast<void>(wait_in(context, leave, call)), DeviceError);
}

TEST(WaitOnADriverThatAsks, LeftWorkIsEndedWithItsContext) {
  {
    const Context context = asking_context(1);
    EXPECT_EQ(wait(context, leave), WaitResult::interrupted);
    EXPECT_EQ(ended_work, 0);
  }
  EXPECT_EQ(ended_work, 1);
  {
    const Context context = asking_context(1);
    EXPECT_EQ(wait(context, leave), WaitResult::interrupted);
    EXPECT_EQ(wait(context, go_on), WaitResult::done);
  }
  EXPECT_EQ(ended_work, 0) << "a later wait found it done";
}

TEST(EndWork, GoesToTheDriver) {
  const Context context = asking_context(0);
  end_work(context);
  EXPECT_EQ(ended_work, 1);
}

class OnWait : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, OnWait, each_provider, provider_name);

TEST_P(OnWait, NothingToWaitForIsDoneAtOnce) {
  const Stream stream;
  Event event;
  event.record(stream);
  EXPECT_EQ(wait(stream, never_asked), WaitResult::done);
  EXPECT_EQ(wait(event, never_asked), WaitResult::done);
  EXPECT_EQ(wait(context(), never_asked), WaitResult::done);
}

}  // namespace
}  // namespace treadle::cuda
