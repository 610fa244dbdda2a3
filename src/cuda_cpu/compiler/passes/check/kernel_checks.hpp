// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/module_plan.hpp"
#include "treadle/process/settings.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Puts a question to the run-time in front of what `checks` asks for, and notes in the plan that
/// kernels do so. Needs the line table; does nothing where no check is on.
void insert_kernel_checks(llvm::Module& module, ModulePlan& plan, const Checks& checks);

}  // namespace treadle::cuda_cpu
