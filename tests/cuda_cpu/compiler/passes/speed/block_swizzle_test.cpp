// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/speed/block_swizzle.hpp"

namespace treadle::cuda_cpu {
namespace {

TEST(BlockSwizzle, ALoopWithABarrierThatReadsMemory) {
  const auto walk = [](const std::string& text) {
    Lowered kernel(text);
    return swizzles_blocks(kernel.body, kernel.runner);
  };
  EXPECT_TRUE(walk(walking_kernel("")));
  EXPECT_FALSE(walk(walking_kernel("", "volatile"))) << "it may wait for another block";
  EXPECT_FALSE(walk(walking_kernel("atomicrmw add ptr addrspace(1) %a, i32 1 seq_cst")));
  EXPECT_FALSE(walk(walking_kernel("fence seq_cst")));
  const std::string others = "@s = internal addrspace(3) global [64 x i32] undef\n";
  EXPECT_TRUE(walk(others + walking_kernel("atomicrmw add ptr addrspace(3) @s, i32 1 seq_cst")))
      << "no other block sees it";
  const std::string poll = "declare i32 @poll(ptr addrspace(1))\n";
  EXPECT_FALSE(walk(poll + walking_kernel("call i32 @poll(ptr addrspace(1) %a)")));
  const std::string sine = "declare float @sinf(float) memory(none)\n";
  EXPECT_TRUE(walk(sine + walking_kernel("call float @sinf(float %sum)")));
  EXPECT_FALSE(walk(R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    %v = load float, ptr addrspace(1) %p
    call spir_func void @__treadle_barrier(i32 1)
    store float %v, ptr addrspace(1) %p
    ret void })"))
      << "no loop";
}

}  // namespace
}  // namespace treadle::cuda_cpu
