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
  EXPECT_EQ(count(function("consecutive."), "br i1"), 10u)
      << "three loops, three of the search for runs, four questions";
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

/// The line of the node of the loop over x in the function whose name begins so.
std::string loop_over_x(const std::string& text, const std::string& function) {
  const std::string begin = text.substr(text.find("define internal void @" + function));
  const std::string branch = begin.substr(begin.find(", label %x, label %x.end"));
  const std::size_t at = branch.find("!llvm.loop ") + 11;
  const std::string node = branch.substr(at, branch.find('\n') - at);
  const std::string line = text.substr(text.find("\n" + node + " = ") + 1);
  return line.substr(0, line.find('\n'));
}

TEST(FullStrips, WhetherVectorsPayIsLeftToLlvm) {
  const std::string text = regions_of(strided_sum("load"));
  const std::size_t at = text.find(" = !{!\"llvm.loop.vectorize.enable\", i1 true}");
  ASSERT_NE(at, text.npos);
  const std::size_t line = text.rfind('\n', at) + 1;
  const std::string forced = text.substr(line, at - line);
  EXPECT_THAT(loop_over_x(text, "all.0."), HasSubstr(forced + ","));
  for (const char* function : {"full.", "consecutive."})
    EXPECT_THAT(loop_over_x(text, function), Not(HasSubstr(forced + ","))) << function;
}

}  // namespace
}  // namespace treadle::cuda_cpu
