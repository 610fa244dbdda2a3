// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Makes `module` code for `machine` and lists its kernels, parameters and user variables.
ModulePlan retarget(llvm::Module& module, const llvm::TargetMachine& machine);

/// Marks `function`, made by a later pass, as code for `machine` like every other.
void set_host_attributes(llvm::Function& function, const llvm::TargetMachine& machine);

}  // namespace treadle::cuda_cpu
