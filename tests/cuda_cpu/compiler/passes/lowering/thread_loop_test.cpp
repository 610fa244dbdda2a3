// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;

TEST(ThreadLoop, OnlyTheLoopOverXIsForVectors) {
  Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
    store i32 %t, ptr addrspace(1) %a
    ret void })");
  kernel.make_block_function();
  const std::string text = kernel.module.text();
  EXPECT_EQ(count(text, "!\"llvm.loop.vectorize.enable\", i1 true"), 1u);
  EXPECT_EQ(count(text, "!\"llvm.loop.parallel_accesses\""), 1u);
  EXPECT_THAT(IrModule::text_of(*kernel.kernel().run),
              HasSubstr("ptr addrspace(1) %a.i, align 4, !llvm.access.group"));
  EXPECT_EQ(count(IrModule::text_of(*kernel.kernel().run), "!llvm.loop"), 3u);
}

TEST(ThreadLoop, ArraysOfAThreadAreNotIndependent) {
  Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %l = alloca [4 x i32]
    %a = getelementptr i32, ptr %l, i32 %n
    store i32 7, ptr %a
    %v = load i32, ptr %l
    store i32 %v, ptr addrspace(1) %p
    ret void })");
  kernel.make_block_function();
  const std::string text = IrModule::text_of(*kernel.kernel().run);
  EXPECT_EQ(count(text, "!llvm.access.group"), 1u) << text;
}

/// Bytes of which the stack is a multiple inside the function; 1 if that is left to its caller.
std::uint64_t stack_alignment(const llvm::Function& function) {
  return function.getAttributes().getFnStackAlignment().valueOrOne().value();
}

TEST(ThreadLoop, NoSpilledVectorLiesAcrossCacheLines) {
  Lowered plain("define spir_kernel void @k() { ret void }");
  plain.make_block_function();
  EXPECT_EQ(stack_alignment(*plain.kernel().run), 64u);
  Lowered choice(two_barriers("%n"));
  choice.make_regions();
  for (const RegionPlan& region : choice.kernel().regions) {
    EXPECT_EQ(stack_alignment(*region.run_all), 64u);
    if (region.run_selected != nullptr) {
      EXPECT_EQ(stack_alignment(*region.run_selected), 64u);
    }
  }
  Lowered row(barriers_in_a_row(3));
  row.make_regions();
  EXPECT_EQ(stack_alignment(*row.kernel().regions[0].run_all), 64u);
}

}  // namespace
}  // namespace treadle::cuda_cpu
