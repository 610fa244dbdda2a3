// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

class PassRunner;

/// The module as bitcode, if it has more kernels than are compiled at once; else nothing. Before
/// the first pass.
std::string bitcode_of_many_kernels(const llvm::Module& module);
/// Leaves only the names of the kernels, and the variables, if all kernels of `module` can be
/// compiled one by one: then each KernelPlan::deferred is set.
void leave_kernels_for_later(llvm::Module& module, ModulePlan& plan);
/// Of a module that bitcode_of_many_kernels() has kept: drops all kernels but one, and what they
/// alone need. False if there is no kernel of that name.
bool keep_one_kernel(llvm::Module& module, const std::string& name, PassRunner& runner);
/// Makes the user's variables those of the module that `plan`'s one kernel was taken from: the
/// run-time stores their addresses.
void import_variables(llvm::Module& module, ModulePlan& plan);

}  // namespace treadle::cuda_cpu
