// SPDX-License-Identifier: MIT
#include "treadle/tune/way_choice.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/device/null.hpp"

namespace treadle::tune {
namespace {

class WayChoiceTest : public testing::Test {
 protected:
  /// As in another process, with the same file.
  std::unique_ptr<WayChoice> ways() {
    return std::make_unique<WayChoice>("test of ways", *device_, store_);
  }
  std::function<std::vector<WayTime>()> takes(double first, double second) {
    return [this, first, second]() -> std::vector<WayTime> {
      ++measured_;
      return {{"first", first}, {"second", second}};
    };
  }
  std::shared_ptr<device::Device> device_ = device::make_null_device();
  std::shared_ptr<Store> store_ = std::make_shared<Store>("");
  const ProblemSignature problem_ = {{"n", std::int64_t{10}}, {"kind", std::string("a")}},
                         other_ = {{"n", std::int64_t{11}}, {"kind", std::string("a")}};
  int measured_ = 0;
};

TEST_F(WayChoiceTest, IsMeasuredOnceAndKept) {
  const auto one = ways();
  EXPECT_FALSE(one->find(problem_));
  const auto first = one->choose(problem_, takes(2e-6, 1e-6));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->way, "second");
  EXPECT_FALSE(first->is_known);
  EXPECT_EQ(first->text(), "second 1 us, first 2 us, measured here");
  EXPECT_EQ(one->choose(problem_, takes(1, 2))->way, "second");
  const auto again = ways()->choose(problem_, takes(1, 2));
  EXPECT_EQ(again->way, "second");
  EXPECT_EQ(again->text(), "second 1 us, first 2 us, measured before");
  EXPECT_EQ(measured_, 1);
  EXPECT_FALSE(ways()->find(other_));  // a near problem is another one
  EXPECT_EQ(ways()->choose(other_, takes(1, 2))->way, "first");
  EXPECT_EQ(measured_, 2);
}

TEST_F(WayChoiceTest, TheFirstWayIsTakenUnlessAnotherIsFasterByTheGain) {
  EXPECT_EQ(ways()->choose(problem_, takes(1.05, 1), 1.1)->way, "first");
  EXPECT_EQ(ways()->find(problem_)->way, "first");  // not what took least
  EXPECT_EQ(ways()->choose(other_, takes(1.2, 1), 1.1)->way, "second");
}

TEST_F(WayChoiceTest, OneAtATimeMeasuresOnADevice) {
  const auto one = ways();
  const auto first = one->choose(problem_, [&] {
    EXPECT_FALSE(ways()->choose(other_, takes(1, 2)));
    return takes(2, 1)();
  });
  EXPECT_EQ(first->way, "second");
  EXPECT_EQ(measured_, 1);
  EXPECT_EQ(one->choose(other_, takes(1, 2))->way, "first");
}

TEST_F(WayChoiceTest, WhatFailsIsNotKeptAndCanBeSettled) {
  const auto one = ways();
  const auto failing = []() -> std::vector<WayTime> { throw InvalidState("no", "nothing"); };
  EXPECT_THROW(one->choose(problem_, failing), InvalidState);
  EXPECT_FALSE(one->find(problem_));
  one->settle(problem_, "second");
  EXPECT_EQ(one->choose(problem_, takes(1, 2))->way, "second");
  EXPECT_EQ(one->find(problem_)->text(), "not measured");
  EXPECT_FALSE(ways()->find(problem_));
  EXPECT_EQ(measured_, 0);
}

TEST_F(WayChoiceTest, WhoAsksWhileAnotherMeasuresIsToldNothing) {
  const auto one = ways();
  const auto first = one->choose(problem_, [&] {
    EXPECT_FALSE(one->choose(problem_, takes(1, 2)));
    return takes(2, 1)();
  });
  EXPECT_EQ(first->way, "second");
  EXPECT_EQ(one->choose(problem_, takes(1, 2))->way, "second");
}

}  // namespace
}  // namespace treadle::tune
