// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace treadle::cuda_cpu {

/// LLVM's simplification of induction variables, for loops of the kernel's own.
struct OwnLoopIndices : llvm::PassInfoMixin<OwnLoopIndices> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                     llvm::LoopStandardAnalysisResults& known,
                                     llvm::LPMUpdater& updater);
};

}  // namespace treadle::cuda_cpu
