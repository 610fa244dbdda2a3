// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/passes/predicated_divisions.hpp"
#include "cuda_cpu/compiler/passes/run_pass.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A loop whose iterations divide behind a branch; `before` stands in the loop's header.
std::string loop_that_divides(const std::string& division, const std::string& before = "") {
  return "define void @f(ptr %p, i32 %n, i32 %m) {\n br label %loop\nloop:\n"
         "%i = phi i32 [ 0, %0 ], [ %j, %next ]\n " +
         before + "\n %odd = trunc i32 %i to i1\n br i1 %odd, label %then, label %next\nthen:\n" +
         "%q = " + division +
         "\n %w = zext i32 %q to i64\n %a = getelementptr i32, ptr %p, i64 %w\n"
         "store i32 1, ptr %a\n br label %next\nnext:\n"
         "%j = add nuw i32 %i, 1\n %c = icmp ult i32 %j, 100\n"
         "br i1 %c, label %loop, label %end\nend:\n ret void }\n";
}

std::string in_front_of_loop(const std::string& text) { return text.substr(0, text.find("loop:")); }

TEST(PredicatedDivisions, WhatIsTheSameForAllIterationsIsDividedOnceAndNeverByZero) {
  const std::string text = after<PredicatedDivisions>(loop_that_divides("udiv i32 %n, %m"));
  EXPECT_THAT(in_front_of_loop(text), HasSubstr("udiv"));
  EXPECT_THAT(in_front_of_loop(text), HasSubstr("select i1 %by.zero, i32 1"));
}

TEST(PredicatedDivisions, SignedOnesDoNotOverflowInFrontOfTheLoop) {
  const std::string text = after<PredicatedDivisions>(loop_that_divides("srem i32 %n, %m"));
  EXPECT_THAT(in_front_of_loop(text), HasSubstr("%overflows"));
}

TEST(PredicatedDivisions, AnAddressIsNotSeenThroughAQuotientOfOneIteration) {
  const std::string text = after<PredicatedDivisions>(loop_that_divides("urem i32 %i, %m"));
  EXPECT_THAT(in_front_of_loop(text), Not(HasSubstr("urem")));
  EXPECT_THAT(text, HasSubstr("freeze i32 %q"));
}

TEST(PredicatedDivisions, WhatEveryIterationDividesOrCannotTrapStaysAsItIs) {
  const std::string every = "%e = udiv i32 %n, %m";
  const std::string text = after<PredicatedDivisions>(loop_that_divides("udiv i32 %i, 3", every));
  EXPECT_THAT(text, Not(HasSubstr("freeze")));
}

}  // namespace
}  // namespace treadle::cuda_cpu
