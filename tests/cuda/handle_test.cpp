// SPDX-License-Identifier: MIT
#include "treadle/cuda/handle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HandleLifetime : public testing::Test {
 protected:
  static Context fresh_context() {
    fake::reset();
    return Context::create(fake::device());
  }

  Context context_ = fresh_context();
};

TEST_F(HandleLifetime, MovingLeavesNothingBehind) {
  {
    DeviceMemory first(context_, 16);
    const DevicePointer address = first.address();
    DeviceMemory second = std::move(first);
    EXPECT_EQ(second.address(), address);
    EXPECT_TRUE(first.is_freed());
    DeviceMemory third(context_, 16);
    third = std::move(second);
    EXPECT_EQ(third.address(), address);
    EXPECT_EQ(fake::state().live_allocations(), 1);
    auto& alias = third;
    third = std::move(alias);
    EXPECT_EQ(third.address(), address);
  }
  EXPECT_EQ(fake::state().live_allocations(), 0);
}

TEST_F(HandleLifetime, AnObjectKeepsItsContextAlive) {
  auto memory = std::make_optional<DeviceMemory>(context_, 16);
  context_ = Context();
  EXPECT_EQ(fake::state().count("cuCtxDestroy"), 0);
  memory.reset();
  // Freed in its own context, which ends after it.
  EXPECT_THAT(fake::state().calls, Contains("cuMemFree(1)"));
  EXPECT_EQ(fake::state().calls.back(), "cuCtxDestroy(1)");
}

TEST_F(HandleLifetime, DestructionOnAnotherThreadIsDoneInItsContext) {
  auto memory = std::make_optional<DeviceMemory>(context_, 16);
  std::thread([&] { memory.reset(); }).join();
  EXPECT_THAT(fake::state().calls, Contains("cuMemFree(1)"));
  EXPECT_EQ(fake::state().live_allocations(), 0);
}

TEST_F(HandleLifetime, AFailingDestructorWarnsAndGoesOn) {
  const fake::Warnings warnings;
  {
    const Stream stream(context_);
    fake::state().fail_next["cuStreamDestroy"] = 700;
  }
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("cuStreamDestroy failed")));
}

TEST_F(HandleLifetime, WhatWasInADetachedContextIsGoneWithIt) {
  const fake::Warnings warnings;
  {
    const DeviceMemory memory(context_, 16);
    const Stream stream(context_);
    context_.detach();
    fake::state().calls.clear();
    EXPECT_THROW(stream.synchronize(), InvalidState);
  }
  EXPECT_THAT(fake::state().calls, IsEmpty());
  EXPECT_THAT(warnings.texts(), IsEmpty());
}

TEST_F(HandleLifetime, FreeingTwiceIsRefused) {
  DeviceMemory memory(context_, 16);
  memory.free();
  EXPECT_EQ(fake::state().live_allocations(), 0);
  EXPECT_THROW(memory.free(), InvalidState);
  EXPECT_THROW(memory.address(), InvalidState);
}

}  // namespace
}  // namespace treadle::cuda
