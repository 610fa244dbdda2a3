// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Gives each kernel that device code names a function that launches it, for all who name it.
void make_launch_functions(llvm::Module& module, ModulePlan& plan);

}  // namespace treadle::cuda_cpu
