// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string regions_of(const std::string& text) {
  Lowered kernel(text);
  kernel.make_regions();
  return kernel.module.text();
}

TEST(FullStrips, TheEndsOfARowTellThatNobodyLeaves) {
  const std::string text = regions_of(strided_sum("load"));
  const auto function = [&](const std::string& name) {
    const std::string rest = text.substr(text.find("define internal void @" + name));
    return rest.substr(0, rest.find("\n}"));
  };
  EXPECT_EQ(count(function("consecutive."), "br i1"), 7u) << "three loops, four questions";
  EXPECT_EQ(count(function("full."), "br i1"), 3u);
  EXPECT_THAT(function("full."), HasSubstr("!treadle.counter")) << "the next step is known";
  const std::string asks = function("in_order.");
  EXPECT_EQ(count(asks, "icmp slt"), 8u) << "four turns, two ends";
  EXPECT_EQ(count(asks, "icmp sle"), 4u) << "in order";
  EXPECT_EQ(count(asks, "add nsw"), 0u) << "of turns that may not be";
}

TEST(FullStrips, WhatBothEndsSayMustHoldBetweenThem) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"icmp slt", "icmp ne"},
                                 {"%j, %n\n", "%j, %t\n"},
                                 {"%c = icmp", "%u = shl i32 %j, 1\n    %c = icmp"}}) {
    std::string text = strided_sum("load");
    text.replace(text.rfind(from), from.size(), to);
    if (to.starts_with("%u")) text.replace(text.rfind("slt i32 %j"), 10, "slt i32 %u");
    const std::string regions = regions_of(text);
    EXPECT_THAT(regions, HasSubstr("@consecutive.")) << to;
    EXPECT_THAT(regions, Not(HasSubstr("@full."))) << to;
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
