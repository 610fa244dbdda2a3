// SPDX-License-Identifier: MIT
#include "treadle/cuda/stream.hpp"

#include <gtest/gtest.h>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/event.hpp"

namespace treadle::cuda {
namespace {

TEST(Stream, NotReadyIsAnAnswerAndAnythingElseAnError) {
  fake::reset();
  const Stream stream(Context::create(fake::device()));
  EXPECT_TRUE(stream.is_done());
  fake::state().fail_next["cuStreamQuery"] = 600;
  EXPECT_FALSE(stream.is_done());
  fake::state().fail_next["cuStreamQuery"] = 700;
  EXPECT_THROW(stream.is_done(), LaunchError);
}

TEST(Stream, AReferenceToNoneIsTheDefaultStream) {
  fake::reset();
  const Stream stream(Context::create(fake::device()));
  EXPECT_TRUE(StreamRef().is_default());
  EXPECT_EQ(StreamRef(stream).raw(), stream.raw());
  EXPECT_NE(StreamRef(stream), StreamRef());
}

class OnStream : public OnEachProvider {};

TEST_P(OnStream, WaitsForItsWork) {
  const Stream stream(StreamFlags::non_blocking);
  EXPECT_EQ(stream.flags(), StreamFlags::non_blocking);
  const Event event;
  event.record(stream);
  const Stream other;
  EXPECT_EQ(other.flags(), StreamFlags::blocking);
  other.wait(event);
  other.synchronize();
  stream.synchronize();
  EXPECT_TRUE(stream.is_done());
  synchronize(StreamRef());
  EXPECT_TRUE(is_done(StreamRef()));
}

TEST_P(OnStream, HasAPriorityFromTheContextsRange) {
  const PriorityRange range = context().stream_priorities();
  EXPECT_LE(range.greatest, range.least);
  const Stream stream(StreamFlags::non_blocking, range.greatest);
  EXPECT_EQ(stream.priority(), range.greatest);
  EXPECT_EQ(Stream().priority(), 0);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnStream, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
