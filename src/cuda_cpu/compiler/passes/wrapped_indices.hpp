// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {

/// Keeps LLVM's loop vectoriser from taking indices that wrap for consecutive ones.
struct WrappedIndices : llvm::PassInfoMixin<WrappedIndices> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace treadle::cuda_cpu
