// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {

/// Keeps LLVM's loop vectoriser from making addresses of quotients that its first lane may not have
/// computed.
struct PredicatedDivisions : llvm::PassInfoMixin<PredicatedDivisions> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace treadle::cuda_cpu
