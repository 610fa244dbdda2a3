// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class Instruction;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Notes that `load` reads a value to which each turn of a loop around the region adds what it did
/// before. Does nothing where `counter`, the value itself, is no such PHI.
void mark_counter(llvm::Instruction& load, const llvm::Instruction& counter);
/// The same, by `step`, which is computed right there.
void mark_counter(llvm::IRBuilder<>& builder, llvm::Instruction& load, llvm::Value& step);

/// Runs after LLVM's optimiser: fetches what the next turn of the loop around a region will read.
class NextTurnPrefetch : public llvm::PassInfoMixin<NextTurnPrefetch> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace treadle::cuda_cpu
