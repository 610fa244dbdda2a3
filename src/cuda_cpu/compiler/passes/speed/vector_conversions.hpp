// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {

/// Runs before LLVM's optimiser: writes out conversions to integers that saturate.
class VectorConversions : public llvm::PassInfoMixin<VectorConversions> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace treadle::cuda_cpu
