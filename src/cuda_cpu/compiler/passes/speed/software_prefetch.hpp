// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace llvm {
class Instruction;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Notes that `load` reads the counter of a loop around the region, which grows by a constant in
/// each iteration. Does nothing where `counter`, the value itself, is no such PHI.
void mark_counter(llvm::Instruction& load, const llvm::Instruction& counter);
/// The same, by `step`, which is computed right there.
void mark_counter(llvm::IRBuilder<>& builder, llvm::Instruction& load, llvm::Value& step);

/// Runs after LLVM's optimiser: prefetches what the next iteration of the loop around a region will
/// read.
class SoftwarePrefetch : public llvm::PassInfoMixin<SoftwarePrefetch> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace treadle::cuda_cpu
