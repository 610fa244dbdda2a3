// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/speed/loop_interchange.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

/// `for (k = 0; k < n; ++k) sum += p[<index>]` by each thread.
std::string thread_sum(const std::string& index, const std::string& load) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %e = getelementptr i32, ptr addrspace(1) %q, i32 %t
    %told = load i32, ptr addrspace(1) %e
    br label %loop
  loop:
    %k = phi i32 [ 0, %0 ], [ %j, %loop ]
    %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
    %far = mul i32 %k, %n
    %row = mul i32 %t, 4
    %i = add i32 )" +
         index +
         R"(
    %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
    %v = )" +
         load +
         R"( i32, ptr addrspace(1) %a
    %more = add i32 %sum, %v
    %j = add i32 %k, 1
    %c = icmp slt i32 %j, %n
    br i1 %c, label %loop, label %end
  end:
    %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
    store i32 %more, ptr addrspace(1) %b
    ret void })";
}

bool is_run_in_steps(const std::string& text) {
  Lowered kernel(text);
  return mark_interchanged_loops(kernel.body, kernel.runner);
}

TEST(LoopInterchange, IsForLoopsWithCoalescedAccesses) {
  EXPECT_TRUE(is_run_in_steps(thread_sum("%far, %t", "load"))) << "columns of a matrix";
  EXPECT_TRUE(is_run_in_steps(thread_sum("%far, %k", "load"))) << "the same for all";
  EXPECT_FALSE(is_run_in_steps(thread_sum("%row, %k", "load"))) << "a row for each thread";
  EXPECT_FALSE(is_run_in_steps(thread_sum("%far, %told", "load"))) << "anywhere";
  EXPECT_FALSE(is_run_in_steps(thread_sum("%far, %t", "load volatile")));
}

TEST(LoopInterchange, IsAlsoForLoopsBehindBarriersThatCarryFloats) {
  const auto marked = [](const std::string& text) {
    Lowered kernel(text);
    mark_float_loops(kernel.body, kernel.runner);
    return count(kernel.module.text(), "treadle.loop.interchange");
  };
  EXPECT_EQ(marked(strided_sum("load")), 1u);
  EXPECT_EQ(marked(thread_sum("%far, %t", "load")), 0u) << "integers";
}

TEST(LoopInterchange, KeepsTheLoopAsItIsWrittenToo) {
  Lowered kernel(thread_sum("%far, %t", "load"));
  ASSERT_TRUE(mark_interchanged_loops(kernel.body, kernel.runner));
  kernel.make_regions();
  const auto& regions = kernel.kernel().regions;
  ASSERT_EQ(regions.size(), 2u) << "before the loop, and a step";
  EXPECT_EQ(regions[1].barrier, BarrierKind::scheduling);
}

}  // namespace
}  // namespace treadle::cuda_cpu
