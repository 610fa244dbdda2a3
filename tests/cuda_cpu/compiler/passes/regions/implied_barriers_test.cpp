// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/regions/barrier_regions.hpp"
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(ImpliedBarriers, OthersMayWaitForWhatIsStoredVolatileInSharedMemory) {
  for (const auto& [pointer, waits] :
       {std::pair("addrspace(3) @s", true), std::pair("addrspace(1) %p", false)}) {
    const Lowered kernel(std::string(R"(@s = internal addrspace(3) global [64 x float] undef
      define spir_kernel void @k(ptr addrspace(1) %p, float %v) {
      store volatile float %v, ptr )") +
                         pointer + " ret void }");
    EXPECT_EQ(hands_over_in_loops(kernel.body), waits) << pointer;
    EXPECT_EQ(needs_regions(kernel.body), waits) << pointer;
  }
}

/// Sums `n` values that start at `pointer`.
std::string summing_kernel(const std::string& pointer) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %q = getelementptr float, ptr addrspace(1) %p, i32 %t
    br label %loop
  loop:
    %i = phi i32 [ 0, %0 ], [ %j, %loop ]
    %a = getelementptr float, ptr addrspace(1) )" +
         pointer + R"(, i32 %i
    %v = load float, ptr addrspace(1) %a
    %j = add i32 %i, 1
    %c = icmp ult i32 %j, %n
    br i1 %c, label %loop, label %end
  end:
    store float %v, ptr addrspace(1) %q
    ret void })";
}

TEST(ImpliedBarriers, LoopsOverMemoryOfTheThreadRunInStep) {
  for (const auto& [pointer, barriers] : {std::pair("%q", 1u), std::pair("%p", 0u)}) {
    Lowered kernel(summing_kernel(pointer));
    add_scheduling_barriers(kernel.body, Uniformity(kernel.body), Interchange::on);
    EXPECT_EQ(count(kernel.text(), "@__treadle_barrier(i32 0)"), barriers) << pointer;
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
