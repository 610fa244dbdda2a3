// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

class SharedMemory;

/// Whether `function` calls through a pointer or calls a function with a body.
bool calls_functions(const llvm::Function& function);

/// Whether `function`, which was not inlined and is lowered, names a shared variable.
bool names_shared_memory(const llvm::Function& function);

/// Lowers index, shared memory and services in the functions that were not inlined.
void lower_device_functions(llvm::Module& module, const ModulePlan& plan, SharedMemory& shared);

}  // namespace treadle::cuda_cpu
