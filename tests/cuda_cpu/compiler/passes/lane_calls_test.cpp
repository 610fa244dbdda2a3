// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/passes/lane_calls.hpp"
#include "cuda_cpu/compiler/passes/run_pass.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* call_of_lanes =
    "declare <4 x double> @treadle.lanes4.sinf64(<4 x double>, <4 x i1>)\n"
    "define <4 x double> @f(<4 x double> %x, <4 x i1> %m) {\n"
    "  %v = call <4 x double> @treadle.lanes4.sinf64(<4 x double> %x, <4 x i1> %m)\n"
    "  %w = fadd <4 x double> %v, %x\n  ret <4 x double> %w\n}\n";

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(LaneCalls, EachLaneIsOneCallBehindABranchThatAnyLaneTakes) {
  const std::string text = after<LaneCalls>(call_of_lanes);
  EXPECT_EQ(count_of(text, "call double @sinf64("), 4u);
  EXPECT_THAT(text, HasSubstr("icmp ne i4"));
  EXPECT_THAT(text, HasSubstr("br i1 %any.lane"));
  EXPECT_THAT(text, Not(HasSubstr("call <4 x double>")));
}

TEST(LaneCalls, ALaneThatDoesNotNeedTheCallHasZeroForItsArgument) {
  const std::string text = after<LaneCalls>(call_of_lanes);
  EXPECT_EQ(count_of(text, "double 0.000000e+00"), 4u);
  EXPECT_EQ(count_of(text, "select i1"), 4u);
}

TEST(LaneCalls, CallsOfOtherFunctionsStayAsTheyAre) {
  const std::string text = after<LaneCalls>(
      "declare double @sinf64(double)\ndefine double @f(double %x) {\n"
      "  %v = call double @sinf64(double %x)\n  ret double %v\n}\n");
  EXPECT_THAT(text, HasSubstr("%v = call double @sinf64(double %x)"));
  EXPECT_THAT(text, Not(HasSubstr("br ")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
