// SPDX-License-Identifier: MIT
// Which kernels a program's own thread may run. A thread inside a block cannot be taken out of it
// and the block go on elsewhere, so a wait that Ctrl-C shall be able to end runs only kernels whose
// blocks are over soon, whatever they are given:
//
//   if (i < n) y[i] = a * x[i];                       =>  over soon
//   for (k = 0; k < 16; ++k) s += a[y][k] * b[k][x];   =>  over soon
//   for (k = 0; k < n; ++k) s += a[k];                 =>  may run long
//   while (atomicCAS(lock, 0, 1) != 0);                =>  may run long
#include "cuda_cpu/compiler/passes/running_time.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint64_t few_steps = 1u << 12;  // of all loops around one place

/// Functions that are not inlined call themselves or each other, or are called through pointers.
bool calls_code_of_the_program(const llvm::Function& body) {
  for (const llvm::Instruction& instruction : llvm::instructions(body)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->isInlineAsm()) continue;
    const llvm::Function* called = call->getCalledFunction();
    if (called == nullptr || !called->isDeclaration()) return true;
  }
  return false;
}

/// Steps of the innermost place in a nest; 0 if nothing says.
std::uint64_t most_steps(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  std::uint64_t steps = 1;
  for (const llvm::Loop* around = &loop; around != nullptr; around = around->getParentLoop()) {
    steps *= evolution.getSmallConstantMaxTripCount(around);
    if (steps > few_steps) return 0;
  }
  return steps;
}

}  // namespace

bool may_run_long(llvm::Function& body, PassRunner& runner) {
  if (calls_code_of_the_program(body)) return true;
  llvm::FunctionAnalysisManager& analyses = runner.fresh_analyses();
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(body);
  using Order = llvm::ReversePostOrderTraversal<const llvm::Function*>;
  Order order(&body);
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) return true;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(body);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (most_steps(*loop, evolution) == 0) return true;
  return false;
}

}  // namespace treadle::cuda_cpu
