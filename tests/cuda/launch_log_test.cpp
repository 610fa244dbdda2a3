// SPDX-License-Identifier: MIT
#include "treadle/cuda/launch_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "cuda/fake_driver.hpp"
#include "cuda/launch_ring.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class LaunchLog : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    set_default_driver(fake::driver(), "a test");
    fake::state().kernels = {{"_Z3onei", {{0, 4}}}, {"_Z3twoi", {{0, 4}}}};
    context_.emplace(Context::make_current(fake::device()));
    module_.emplace(ModuleImage{std::vector<std::byte>(16), {}});
  }
  void TearDown() override {
    set_launch_site({});
    module_.reset();
    context_.reset();
    fake::reset();
  }
  void launch(const char* name, unsigned blocks = 1) {
    module_->function(name).launch({.grid = {blocks}, .block = {32}}, 5);
  }
  std::string failed_synchronize(int code) {
    fake::state().fail_next["cuCtxSynchronize"] = code;
    try {
      (*context_)->synchronize();
    } catch (const LaunchError& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "(no LaunchError)";
  }

  std::optional<CurrentContext> context_;
  std::optional<Module> module_;
};

TEST_F(LaunchLog, KeepsTheLastEightTheLatestFirst) {
  EXPECT_THAT(last_launches(context_->get()), IsEmpty());
  EXPECT_THAT(last_launches(Context()), IsEmpty());
  for (unsigned i = 1; i <= 11; ++i) launch(i == 11 ? "two" : "one", i);
  const auto launches = last_launches(context_->get());
  ASSERT_THAT(launches, SizeIs(8));
  EXPECT_EQ(launches[0].kernel, "two");
  EXPECT_EQ(launches[0].config.grid, (Dim3{11, 1, 1}));
  EXPECT_EQ(launches[7].kernel, "one");
  EXPECT_EQ(launches[7].config.grid.x, 4u);
}

TEST_F(LaunchLog, ARefusedLaunchIsNoLaunch) {
  fake::state().fail_next["cuLaunchKernel"] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  EXPECT_THROW(launch("one"), LaunchError);
  EXPECT_THAT(last_launches(context_->get()), IsEmpty());
}

TEST_F(LaunchLog, P13_AFaultNamesTheLastLaunchesWithShapeAndLine) {
  set_launch_site({"user.py", 7});
  launch("one", 3);
  set_launch_site({"user.py", 9});
  launch("two");
  EXPECT_THAT(failed_synchronize(CUDA_ERROR_ILLEGAL_ADDRESS),
              AllOf(HasSubstr("last launches, the latest first: \"two\", grid 1x1x1, block 32x1x1 "
                              "(user.py:9); \"one\", grid 3x1x1, block 32x1x1 (user.py:7)"),
                    HasSubstr("the context is lost"), HasSubstr("TREADLE_SYNC=1")));
}

TEST_F(LaunchLog, P13_AFaultThatALaterLaunchFindsIsNotBlamedOnItAlone) {
  launch("one");
  fake::state().fail_next["cuLaunchKernel"] = CUDA_ERROR_ILLEGAL_ADDRESS;
  try {
    launch("two");
    FAIL();
  } catch (const LaunchError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("kernel \"two\""), HasSubstr("first: \"one\"")));
  }
}

TEST_F(LaunchLog, P13_OtherFailuresSayNothingOfLaunches) {
  launch("one");
  fake::state().fail_next["cuCtxSynchronize"] = CUDA_ERROR_OUT_OF_MEMORY;
  try {
    (*context_)->synchronize();
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), AllOf(Not(HasSubstr("launch")), Not(HasSubstr("lost"))));
  }
}

TEST_F(LaunchLog, P13_ContextsAreToldApart) {
  launch("one");
  const auto other = Context::make_current(Context::create(fake::device()));
  EXPECT_THAT(last_launches(other), IsEmpty());
}

TEST(LaunchRing, P11_ThreadsNoteAndReadTogether) {
  LaunchRing ring;
  const std::string* const name = lasting_name("k");
  EXPECT_EQ(name, lasting_name(std::string("k")));
  std::vector<std::thread> threads;
  for (unsigned i = 1; i <= 24; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        ring.note(name, {.grid = {i, i, i}});
        for (const LaunchRecord& record : ring.records())
          EXPECT_TRUE(record.config.grid.x == record.config.grid.z && record.kernel == "k");
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(ring.records(), Not(IsEmpty()));
}

}  // namespace
}  // namespace treadle::cuda
