// SPDX-License-Identifier: MIT
// Kernels with barriers: `run_all` and `run_selected` for every stretch between two barriers.
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

class PassRunner;

/// Whether threads of a block must meet: at barriers, or after stores that old code relies on
/// warps for.
bool needs_regions(const KernelBody& body);

/// Turns a kernel with barriers into kernel.regions; consumes the body.
void make_region_functions(KernelPlan& kernel, const KernelBody& body, PassRunner& runner,
                           const llvm::TargetMachine& machine);

}  // namespace treadle::cuda_cpu
