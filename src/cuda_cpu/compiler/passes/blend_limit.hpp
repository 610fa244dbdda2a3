// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {

/// Runs in front of LLVM's vectoriser and keeps it off loops that it would need too long for.
class BlendLimit : public llvm::PassInfoMixin<BlendLimit> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace treadle::cuda_cpu
