// SPDX-License-Identifier: MIT
#include "treadle/cuda/context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <unordered_set>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ContextStack : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    set_default_driver(fake::driver(), "a test");
  }
  void TearDown() override {
    while (Context::stack_depth() > 0) Context::pop();
  }
  const Device device_ = fake::device();
};

TEST_F(ContextStack, ANewContextIsNotCurrent) {
  const Context context = Context::create(device_);
  EXPECT_THAT(fake::driver_stack(), IsEmpty());
  EXPECT_EQ(Context::top(), std::nullopt);
  EXPECT_TRUE(context.is_valid());
  EXPECT_EQ(context.device(), device_);
}

TEST_F(ContextStack, TheDriversOwnStackHoldsOneOfOurs) {
  const Context first = Context::create(device_), second = Context::create(device_);
  first.push();
  second.push();
  EXPECT_THAT(fake::driver_stack(), ElementsAre(2));
  EXPECT_EQ(Context::top(), second);
  EXPECT_EQ(Context::pop(), second);
  EXPECT_THAT(fake::driver_stack(), ElementsAre(1));
  EXPECT_EQ(Context::top(), first);
  EXPECT_EQ(Context::pop(), first);
  EXPECT_THAT(fake::driver_stack(), IsEmpty());
}

TEST_F(ContextStack, OneContextMayBePushedTwice) {
  const Context context = Context::create(device_);
  context.push();
  context.push();
  EXPECT_EQ(Context::stack_depth(), 2u);
  Context::pop();
  EXPECT_THAT(fake::driver_stack(), ElementsAre(1));
}

TEST_F(ContextStack, PoppingAnEmptyStackIsTheDriversError) {
  try {
    Context::pop();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 201);
    EXPECT_EQ(error.message(),
              "Context::pop failed: invalid device context - cannot pop non-current context");
  }
}

TEST_F(ContextStack, AForeignContextBelowStaysWhereItWas) {
  fake::set_current_foreign(reinterpret_cast<RawContext>(50));
  const Context context = Context::create(device_);
  context.push();
  EXPECT_THAT(fake::driver_stack(), ElementsAre(50, 1));
  Context::pop();
  EXPECT_THAT(fake::driver_stack(), ElementsAre(50));
}

TEST_F(ContextStack, TheLastReferenceDestroys) {
  auto context = std::make_optional(Context::create(device_));
  context->push();
  context.reset();
  EXPECT_EQ(fake::state().count("cuCtxDestroy"), 0);
  Context::pop();
  EXPECT_EQ(fake::state().count("cuCtxDestroy"), 1);
}

TEST_F(ContextStack, DetachingTheTopMakesTheNextCurrent) {
  const Context first = Context::create(device_), second = Context::create(device_);
  first.push();
  second.push();
  second.detach();
  EXPECT_FALSE(second.is_valid());
  EXPECT_EQ(Context::top(), first);
  EXPECT_THAT(fake::driver_stack(), ElementsAre(1));
  EXPECT_EQ(fake::state().count("cuCtxDestroy"), 1);
}

TEST_F(ContextStack, DetachingOneBelowLeavesTheTop) {
  const Context first = Context::create(device_), second = Context::create(device_);
  first.push();
  second.push();
  first.detach();
  EXPECT_EQ(Context::stack_depth(), 1u);
  EXPECT_THAT(fake::driver_stack(), ElementsAre(2));
}

TEST_F(ContextStack, AnEntryDetachedByAnotherThreadIsSkipped) {
  const Context first = Context::create(device_), second = Context::create(device_);
  first.push();
  second.push();
  std::thread([&] { second.detach(); }).join();
  EXPECT_EQ(Context::top(), first);
  EXPECT_EQ(Context::pop(), second);
  EXPECT_THAT(fake::driver_stack(), ElementsAre(1));
}

TEST_F(ContextStack, UseAfterDetachIsRefused) {
  const Context context = Context::create(device_);
  context.detach();
  EXPECT_THROW(context.detach(), InvalidState);
  EXPECT_THROW(context.push(), InvalidState);
  EXPECT_THROW(context.synchronize(), InvalidState);
  EXPECT_THROW(context.device(), InvalidState);
  EXPECT_THROW(Context().push(), InvalidState);
  EXPECT_THROW(Context().detach(), InvalidState);
}

TEST_F(ContextStack, PrimaryContextsAreOneAndReleasedOnce) {
  {
    const Context first = Context::primary(device_), second = Context::primary(device_);
    EXPECT_EQ(first, second);
    EXPECT_EQ(std::hash<Context>{}(first), std::hash<Context>{}(second));
    EXPECT_TRUE(first.is_primary());
    EXPECT_EQ(fake::state().primary_references, 1);
    EXPECT_NE(first, Context::primary(Device(fake::driver(), 1)));
  }
  EXPECT_EQ(fake::state().primary_references, 0);
}

TEST_F(ContextStack, ADetachedPrimaryCanBeRetainedAgain) {
  const Context first = Context::primary(device_);
  first.push();
  first.detach();
  EXPECT_THAT(fake::driver_stack(), IsEmpty());
  const Context second = Context::primary(device_);
  EXPECT_NE(first, second);
  EXPECT_TRUE(second.is_valid());
}

TEST_F(ContextStack, AGuardPopsWhatItPushed) {
  {
    const auto guard = Context::make_current(device_);
    EXPECT_EQ(Context::top(), guard.get());
    EXPECT_EQ(fake::state().primary_references, 1);
    auto moved = Context::make_current(Context::create(device_));
    const CurrentContext target = std::move(moved);
    EXPECT_EQ(Context::stack_depth(), 2u);
  }
  EXPECT_EQ(Context::stack_depth(), 0u);
  EXPECT_THAT(fake::driver_stack(), IsEmpty());
  EXPECT_EQ(fake::state().primary_references, 0);
}

TEST_F(ContextStack, AGuardThatFindsAnotherDepthWarnsAndRestoresItsOwn) {
  const fake::Warnings warnings;
  {
    const auto guard = Context::make_current(device_);
    Context::create(device_).push();
  }
  EXPECT_EQ(Context::stack_depth(), 0u);
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("a CurrentContext ends with 2")));
}

TEST_F(ContextStack, NoContextAtAllIsAnErrorThatSaysWhatToDo) {
  try {
    Context::current();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 201);
    EXPECT_THAT(error.message(), HasSubstr("no currently active context?"));
    EXPECT_THAT(error.hint(), HasSubstr("make_current"));
  }
  EXPECT_THROW(DeviceMemory(4), DeviceError);
}

TEST_F(ContextStack, APrimaryContextOfAnotherLibraryIsRetained) {
  const RawContext primary = reinterpret_cast<RawContext>(100);
  fake::set_current_foreign(primary);
  {
    const Context context = Context::current();
    EXPECT_EQ(context.raw(), primary);
    EXPECT_TRUE(context.is_primary());
    EXPECT_EQ(fake::state().primary_references, 1);
    EXPECT_EQ(Context::attach(fake::driver()), context);
    EXPECT_EQ(Context::top(), std::nullopt);
  }
  EXPECT_EQ(fake::state().primary_references, 0);
}

TEST_F(ContextStack, AnyOtherForeignContextIsBorrowedAndNeverDestroyed) {
  fake::set_current_foreign(reinterpret_cast<RawContext>(50));
  {
    const Context context = Context::attach(fake::driver());
    EXPECT_FALSE(context.is_primary());
    context.push();
    Context::pop();
  }
  EXPECT_EQ(fake::state().count("cuCtxDestroy"), 0);
  EXPECT_EQ(fake::state().primary_references, 0);
}

TEST_F(ContextStack, AFailedPushLeavesTheOldTopCurrent) {
  const Context first = Context::create(device_), second = Context::create(device_);
  first.push();
  fake::state().fail_next["cuCtxPushCurrent"] = 1;
  EXPECT_THROW(second.push(), DeviceError);
  EXPECT_EQ(Context::top(), first);
  EXPECT_THAT(fake::driver_stack(), ElementsAre(1));
}

TEST_F(ContextStack, AThreadThatEndsWithContextsIsWarnedAbout) {
  const fake::Warnings warnings;
  const Context context = Context::create(device_);
  std::thread([&] { context.push(); }).join();
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("1 context(s) on its stack")));
  EXPECT_TRUE(context.is_valid());
}

TEST_F(ContextStack, EachThreadHasItsOwn) {
  const auto guard = Context::make_current(device_);
  std::thread([] { EXPECT_EQ(Context::stack_depth(), 0u); }).join();
}

TEST_F(ContextStack, AnActivationIsFreeWhereTheContextIsCurrent) {
  const Context context = Context::create(device_);
  context.push();
  fake::state().calls.clear();
  {
    const Activation active(context);
  }
  EXPECT_THAT(fake::state().calls, IsEmpty());
  std::thread([&] {
    const Activation active(context);
    EXPECT_THAT(fake::driver_stack(), ElementsAre(1));
    EXPECT_EQ(Context::stack_depth(), 0u);
  }).join();
}

TEST_F(ContextStack, AnActivationSeesWhatAnotherLibraryMadeCurrent) {
  const Context context = Context::create(device_);
  context.push();
  fake::set_current_foreign(reinterpret_cast<RawContext>(50));
  {
    const Activation active(context);
    EXPECT_THAT(fake::driver_stack(), ElementsAre(50, 1));
  }
  EXPECT_THAT(fake::driver_stack(), ElementsAre(50));
}

TEST_F(ContextStack, ContextsAreKeysOfHashTables) {
  const Context first = Context::create(device_), second = Context::create(device_);
  const std::unordered_set<Context> set = {first, second, first};
  EXPECT_EQ(set.size(), 2u);
}

}  // namespace
}  // namespace treadle::cuda
