// SPDX-License-Identifier: MIT
// The table a module exports (ModuleDescriptor in module_abi.h), as IR constants.
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Adds `treadle_module_v1` and all it points to. Call it before optimising: the table is what
/// keeps kernels and user variables alive.
void emit_descriptor(llvm::Module& module, const ModulePlan& plan);

}  // namespace treadle::cuda_cpu
