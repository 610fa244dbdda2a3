// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Throws BackendError naming construct and line of what this device cannot run.
void check_supported(const llvm::Module& module, const ModulePlan& plan);

}  // namespace treadle::cuda_cpu
