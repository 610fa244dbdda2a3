// SPDX-License-Identifier: MIT
// LLVM's own passes, run for the host: one set of analyses per compile.
#pragma once

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Owns the analysis managers. Our passes change IR behind their back, so every run starts by
/// forgetting what was known.
class PassRunner {
 public:
  /// `vector_math`: calls of sinf and its like may become libmvec's when a loop is vectorised.
  PassRunner(llvm::TargetMachine& machine, bool vector_math);

  llvm::PassBuilder& builder() { return builder_; }
  void run(llvm::ModulePassManager& passes, llvm::Module& module);
  void run(llvm::FunctionPassManager& passes, llvm::Function& function);
  /// Analyses of `function` as it is now.
  llvm::FunctionAnalysisManager& fresh_analyses();

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

}  // namespace treadle::cuda_cpu
