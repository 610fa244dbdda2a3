// SPDX-License-Identifier: MIT
// Wrapped indices: for `a[7 * x % 32]` LLVM 19 sees the number 7 * x in five bits, and asks at run
// time only whether x itself fits into them: with 32 threads it does, the loop loads every seventh
// element behind the first of a vector, and reads far behind the end. What it does not see through,
// it loads one by one.
//
//   %r = and i64 %m, 31          =>    %w = and i64 %m, 31
//                                      %r = freeze i64 %w
#include "cuda_cpu/compiler/passes/wrapped_indices.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned narrow = 16;  // bits: nobody counts threads in fewer

/// What `instruction` keeps only some bits of.
llvm::Value* value_cut_short(llvm::Instruction& instruction) {
  using namespace llvm::PatternMatch;
  llvm::Value* value = nullptr;
  const llvm::APInt* mask = nullptr;
  if (match(&instruction, m_And(m_Value(value), m_APInt(mask)))) return value;
  return match(&instruction, m_Trunc(m_Value(value))) &&
                 instruction.getType()->getScalarSizeInBits() <= narrow
             ? value
             : nullptr;
}

/// Counts up by steps that the check at run time leaves out: it is right for powers of two.
bool counts_unevenly(llvm::Value& value, const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (!evolution.isSCEVable(value.getType())) return false;
  const auto* count = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&value));
  if (!count || count->getLoop() != &loop) return false;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(count->getStepRecurrence(evolution));
  return !step || !step->getAPInt().abs().isPowerOf2();
}

}  // namespace

llvm::PreservedAnalyses WrappedIndices::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::SmallVector<llvm::Instruction*, 4> found;
  if (!loops.empty()) {
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::BasicBlock& block : function)
      if (const llvm::Loop* loop = loops.getLoopFor(&block))
        for (llvm::Instruction& instruction : block)
          if (llvm::Value* value = value_cut_short(instruction);
              value && counts_unevenly(*value, *loop, evolution))
            found.push_back(&instruction);
  }
  for (llvm::Instruction* instruction : found) {
    auto* frozen = new llvm::FreezeInst(instruction, "", instruction->getNextNode());
    instruction->replaceUsesWithIf(frozen, [&](llvm::Use& use) { return use.getUser() != frozen; });
  }
  if (found.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace treadle::cuda_cpu
