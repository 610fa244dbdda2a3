// SPDX-License-Identifier: MIT
// Predicated divisions: behind a branch LLVM 19's vectoriser divides in those lanes only that take
// it, one by one. An address that is the same for all lanes, or consecutive along them, it computes
// in the first lane alone, though that lane may not have divided. What every iteration would divide
// alike is divided in front of the loop, once, by a number that cannot trap; what LLVM's analysis
// of addresses cannot see through (a freeze) is computed in every lane.
//
//   loop:                                        %f = freeze i32 %m
//     br i1 %c, label %then, label %next         %z = icmp eq i32 %f, 0
//   then:                                        %s = select i1 %z, i32 1, i32 %f
//     %q = udiv i32 %n, %m                       %q = udiv i32 %n, %s
//     %r = udiv i32 %i, %m                 =>  loop:
//                                                br i1 %c, label %then, label %next
//                                              then:
//                                                %w = udiv i32 %i, %m
//                                                %r = freeze i32 %w
#include "cuda_cpu/compiler/passes/predicated_divisions.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/passes/lowering/gpu_arithmetic.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Those of blocks that an iteration may pass by, operands before what is made of them.
llvm::SmallVector<llvm::BinaryOperator*, 4> predicated_divisions(
    llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators) {
  llvm::SmallVector<llvm::BinaryOperator*, 4> found;
  llvm::LoopBlocksRPO in_order(&loop);
  in_order.perform(&loops);
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  for (llvm::BasicBlock* block : in_order) {
    if (latch && dominators.dominates(block, latch)) continue;
    for (llvm::Instruction& instruction : *block)
      if (instruction.isIntDivRem() && !llvm::isSafeToSpeculativelyExecute(&instruction))
        found.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
  }
  return found;
}

bool move_in_front(llvm::BinaryOperator& division, const llvm::Loop& loop) {
  llvm::BasicBlock* before = loop.getLoopPreheader();
  if (!before) return false;
  for (llvm::Value* operand : division.operands()) {
    bool changed = false;
    if (!loop.makeLoopInvariant(operand, changed, before->getTerminator())) return false;
  }
  division.moveBefore(before->getTerminator());
  division.dropPoisonGeneratingFlags();
  make_harmless(division);
  return true;
}

void hide(llvm::BinaryOperator& division) {
  auto* frozen = new llvm::FreezeInst(&division, "", division.getNextNode());
  division.replaceUsesWithIf(frozen, [&](llvm::Use& use) { return use.getUser() != frozen; });
}

}  // namespace

llvm::PreservedAnalyses PredicatedDivisions::run(llvm::Function& function,
                                                 llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    for (llvm::BinaryOperator* division : predicated_divisions(*loop, loops, dominators)) {
      if (!move_in_front(*division, *loop)) hide(*division);
      changed = true;
    }
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace treadle::cuda_cpu
