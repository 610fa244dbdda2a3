// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/compiler/passes/lowering/gpu_arithmetic.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

TEST(GpuArithmetic, DivisionByAVariableIsGuarded) {
  IrModule module("define i32 @f(i32 %x, i32 %d) { %q = udiv i32 %x, %d\n ret i32 %q }");
  give_gpu_arithmetic(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %by.zero, i32 1, i32 %d"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %by.zero, i32 -1, i32 %q"));
}

TEST(GpuArithmetic, RemainderByZeroIsTheDividend) {
  IrModule module("define i32 @f(i32 %x, i32 %d) { %q = srem i32 %x, %d\n ret i32 %q }");
  give_gpu_arithmetic(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %by.zero, i32 %x, i32 %q"));
  EXPECT_THAT(module.text(), HasSubstr("%overflows = and"));
}

TEST(GpuArithmetic, HarmlessOperandsCostNothing) {
  IrModule module(R"(define i32 @f(i32 %x, i32 %s) {
    %a = sdiv i32 %x, 3
    %size = call spir_func i32 @__treadle_block_size(i32 0)
    %b = udiv i32 %a, %size
    %m = and i32 %s, 31
    %c = shl i32 %b, %m
    ret i32 %c })");
  const std::string before = module.text();
  give_gpu_arithmetic(module.function("f"));
  EXPECT_EQ(module.text(), before);
}

TEST(GpuArithmetic, ASecondTimeChangesNothing) {
  IrModule module(R"(define i32 @f(i32 %x, i32 %d) {
    %q = sdiv i32 %x, %d
    %r = urem i32 %q, %d
    ret i32 %r })");
  give_gpu_arithmetic(module.function("f"));
  const std::string once = module.text();
  give_gpu_arithmetic(module.function("f"));
  EXPECT_EQ(module.text(), once);
}

TEST(GpuArithmetic, ChoicesAndCallsOfTheProgramAreDivisorsAsOthers) {
  IrModule module(R"(define internal i32 @size() alwaysinline {
    %s = call spir_func i32 @__treadle_block_size(i32 0)
    ret i32 %s }
  define internal i32 @bins() alwaysinline { ret i32 0 }
  define i32 @choice(i32 %x, i1 %c) {
    %d = select i1 %c, i32 0, i32 3
    %q = udiv i32 %x, %d
    ret i32 %q }
  define i32 @one(i32 %x, i1 %c, i32 %y) {
    %d = select i1 %c, i32 1, i32 %y
    %q = udiv i32 %x, %d
    ret i32 %q }
  define i32 @call(i32 %x) {
    %d = call i32 @bins()
    %q = udiv i32 %x, %d
    ret i32 %q }
  define i32 @extent(i32 %x) {
    %d = call i32 @size()
    %q = udiv i32 %x, %d
    ret i32 %q })");
  for (const char* name : {"choice", "one", "call", "extent"}) {
    llvm::Function& function = module.function(name);
    give_gpu_arithmetic(function);
    const bool guarded = IrModule::text_of(function).find("by.zero") != std::string::npos;
    EXPECT_EQ(guarded, std::string(name) != "extent") << name;
  }
}

TEST(GpuArithmetic, ShiftsAndConversions) {
  IrModule module(R"(define i32 @f(i32 %x, i32 %s, float %v) {
    %a = shl i32 %x, %s
    %b = ashr i32 %a, %s
    %i = fptosi float %v to i32
    %c = fptoui float %v to i8
    %w = zext i8 %c to i32
    %d = add i32 %b, %i
    %e = add i32 %d, %w
    ret i32 %e })");
  give_gpu_arithmetic(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %in.range, i32 %a, i32 0"));
  EXPECT_THAT(module.text(), HasSubstr("@llvm.umin.i32(i32 %s, i32 31)"));
  EXPECT_THAT(module.text(), HasSubstr("@llvm.fptosi.sat.i32.f32"));
  EXPECT_THAT(module.text(), HasSubstr("@llvm.fptoui.sat.i32.f32"));
}

TEST(GpuArithmetic, ConversionsOfClangSaturateAsOnAGpu) {
  IrModule module(R"(define i64 @f(double %v, float %x) {
    %i = call i64 @llvm.fptosi.sat.i64.f64(double %v)
    %c = call i8 @llvm.fptoui.sat.i8.f32(float %x)
    %w = zext i8 %c to i64
    %sum = add i64 %i, %w
    ret i64 %sum }
    declare i64 @llvm.fptosi.sat.i64.f64(double)
    declare i8 @llvm.fptoui.sat.i8.f32(float))");
  saturate_conversions(module.function("f"));
  EXPECT_THAT(module.text(), HasSubstr("select i1 %is.nan, i64 -9223372036854775808"));
  EXPECT_THAT(module.text(), HasSubstr("call i32 @llvm.fptoui.sat.i32.f32"));
  EXPECT_THAT(module.text(), HasSubstr("trunc i32"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
