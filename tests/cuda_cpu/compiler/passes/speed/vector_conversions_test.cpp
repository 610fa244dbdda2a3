// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/passes/run_pass.hpp"
#include "cuda_cpu/compiler/passes/speed/vector_conversions.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(VectorConversions, WhatSaturatesIsWrittenOut) {
  const std::string text = after<VectorConversions>(R"(
    declare i32 @llvm.fptosi.sat.i32.f32(float)
    declare i64 @llvm.fptoui.sat.i64.f64(double)
    define i64 @f(float %x, double %y) {
      %i = call i32 @llvm.fptosi.sat.i32.f32(float %x)
      %j = call i64 @llvm.fptoui.sat.i64.f64(double %y)
      %w = sext i32 %i to i64
      %sum = add i64 %w, %j
      ret i64 %sum })");
  EXPECT_THAT(text, Not(HasSubstr("call ")));
  EXPECT_THAT(text, HasSubstr("fcmp olt float %x, 0x41E0000000000000"));
  EXPECT_THAT(text, HasSubstr("i32 2147483647"));
  EXPECT_THAT(text, HasSubstr("i32 -2147483648"));
  EXPECT_THAT(text, HasSubstr("fcmp olt double %y, 0x43F0000000000000"));
  EXPECT_THAT(text, HasSubstr("i64 -1")) << "the largest number without a sign";
}

TEST(VectorConversions, NumbersWithoutSuchBoundsAreLeft) {
  const std::string text = after<VectorConversions>(R"(
    declare i32 @llvm.fptosi.sat.i32.f16(half)
    define i32 @f(half %x) {
      %i = call i32 @llvm.fptosi.sat.i32.f16(half %x)
      ret i32 %i })");
  EXPECT_THAT(text, HasSubstr("call i32 @llvm.fptosi.sat.i32.f16"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
