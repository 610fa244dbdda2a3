// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassManager.h>

namespace treadle::cuda_cpu {

/// Functions of libm's under names that LLVM does not know: kernels/cuda_cpu/treadle/math_double.h
/// calls them behind branches that few threads take.
llvm::ArrayRef<const char*> rare_functions();

/// Tells LLVM's vectoriser that a loop with rare functions behind branches can be vectorised.
void add_rare_functions(llvm::TargetLibraryInfoImpl& library);

/// Runs behind LLVM's vectoriser and calls rare functions for the lanes that need them.
struct LaneCalls : llvm::PassInfoMixin<LaneCalls> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace treadle::cuda_cpu
