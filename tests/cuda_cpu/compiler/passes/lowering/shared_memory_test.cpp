// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

TEST(SharedMemory, DynamicLiesBehindStatic) {
  const Lowered kernel(indexed_kernel);
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 0"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 48"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 128"));
  EXPECT_EQ(kernel.plan.kernels.front().static_shared, 128u);
  EXPECT_TRUE(kernel.plan.kernels.front().dynamic_shared);
}

TEST(SharedMemory, WhatTheCompilerAddsIsNotTheProgramsOwn) {
  const Lowered kernel(R"(
    @__treadle_exchange = internal addrspace(3) global [64 x i8] undef
    @a = internal addrspace(3) global [10 x float] undef
    @d = external addrspace(3) global [0 x float]
    define spir_kernel void @k(i8 %v) {
    store i8 %v, ptr addrspace(3) @__treadle_exchange
    store i8 %v, ptr addrspace(3) @a
    store i8 %v, ptr addrspace(3) @d
    ret void })");
  const KernelPlan& plan = kernel.plan.kernels.front();
  EXPECT_EQ(plan.static_shared, 40u);
  EXPECT_EQ(plan.static_shared + plan.exchange_shared, 128u);
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 0"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 48"));
  EXPECT_THAT(kernel.text(), HasSubstr("ptr %shared, i64 128"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
