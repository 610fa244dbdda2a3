// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

class PassRunner;

/// Inlines what can be, drops what nothing reaches, and cleans up what is left.
void inline_functions(llvm::Module& module, const ModulePlan& plan, PassRunner& runner);

}  // namespace treadle::cuda_cpu
