// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/unroll_and_jam.hpp"

namespace treadle::cuda_cpu {
namespace {

/// A region that adds up `count` products of an element of `%a`'s row with rows of `%b`.
std::string sum_of_products(unsigned count, const std::string& stride = "1") {
  std::string text = R"(define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    %y = call spir_func i32 @__treadle_thread_index(i32 1)
    %r = mul i32 %y, 32
    %column = mul i32 %x, )" +
                     stride;
  std::string sum = "0.0";
  for (unsigned k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "\n    %i" + n + " = add i32 %r, " + n + "\n    %j" + n + " = add i32 %column, " +
            std::to_string(32 * k) + "\n    %p" + n +
            " = getelementptr double, ptr addrspace(1) %a, i32 %i" + n + "\n    %q" + n +
            " = getelementptr double, ptr addrspace(1) %b, i32 %j" + n + "\n    %v" + n +
            " = load double, ptr addrspace(1) %p" + n + "\n    %w" + n +
            " = load double, ptr addrspace(1) %q" + n + "\n    %m" + n + " = fmul double %v" + n +
            ", %w" + n + "\n    %s" + n + " = fadd double " + sum + ", %m" + n;
    sum = "%s" + n;
  }
  return text + "\n    store double " + sum + ", ptr addrspace(1) %a\n    ret void }";
}

TEST(UnrollAndJam, WhereRowsShareMoreThanTheRegistersHold) {
  const auto plan = [](const std::string& text, unsigned width = 32) {
    Lowered kernel(text);
    return plan_unroll_and_jam(kernel.body, width, *kernel.machine);
  };
  const UnrollAndJamPlan pairs = plan(sum_of_products(32));
  EXPECT_EQ(pairs.rows, 2u);
  EXPECT_GE(pairs.vector_elements, 2u);
  EXPECT_EQ(32 % (pairs.vector_elements * pairs.vectors), 0u);
  // Two rows of eight: at most 8 of the 16 registers of a processor that has only SSE.
  EXPECT_EQ(plan(sum_of_products(2), 8).rows, 1u) << "they stay in registers";
  EXPECT_EQ(plan(sum_of_products(32, "2")).rows, 1u) << "not side by side";
}

TEST(UnrollAndJam, TakeTurnsInstructionByInstruction) {
  IrModule module(R"(define internal i8 @region(i32 %y, ptr %p) {
     br label %on
    on:
     %a = getelementptr float, ptr %p, i32 %y
     %v = load float, ptr %a
     %w = fmul float %v, 3.0
     store float %w, ptr %a
     ret i8 1 }
    define void @rows(i32 %y, ptr %p) {
     %next = add i32 %y, 1
     %one = call i8 @region(i32 %y, ptr %p)
     %two = call i8 @region(i32 %next, ptr %p)
     ret void })");
  llvm::SmallVector<llvm::CallInst*, 2> calls;
  for (llvm::Instruction& instruction : module.function("rows").getEntryBlock())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) calls.push_back(call);
  inline_threads(calls);
  std::string order;
  for (const llvm::Instruction& instruction : module.function("rows").getEntryBlock())
    order += std::string(instruction.getOpcodeName()) + " ";
  EXPECT_EQ(order, "add getelementptr getelementptr load load fmul fmul store store ret ");
}

TEST(UnrollAndJam, RegionsThatNeverEndAreLeftAlone) {
  std::string text = sum_of_products(32);
  text.replace(text.rfind("ret void"), 8, "br label %on\n on:\n br label %on");
  Lowered kernel(text);
  EXPECT_EQ(plan_unroll_and_jam(kernel.body, 32, *kernel.machine).rows, 1u);
}

}  // namespace
}  // namespace treadle::cuda_cpu
