// SPDX-License-Identifier: MIT
#include "treadle/cuda/event.hpp"

#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"

namespace treadle::cuda {
namespace {

TEST(Event, AnOlderDriversElapsedTimeServesToo) {
  fake::reset();
  const Context context = Context::create(fake::device());
  const Event start(context), end(context);
  EXPECT_FLOAT_EQ(end.milliseconds_since(start), 1.5f);
}

class OnEvent : public OnEachProvider {};

TEST_P(OnEvent, MeasuresTimeBetweenTwoMarks) {
  const Event start, end;
  start.record();
  end.record();
  end.synchronize();
  EXPECT_TRUE(start.is_done());
  EXPECT_GE(end.milliseconds_since(start), 0.0f);
}

TEST_P(OnEvent, WithoutTimingThereIsNoTime) {
  const Event start(EventFlags::disable_timing), end(EventFlags::disable_timing);
  start.record();
  end.record();
  end.synchronize();
  EXPECT_THROW(end.milliseconds_since(start), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnEvent, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
