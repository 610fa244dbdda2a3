// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {

/// Runs after LLVM's optimiser: computes addresses that it takes out of vectors without these.
class ScalarAddresses : public llvm::PassInfoMixin<ScalarAddresses> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace treadle::cuda_cpu
