// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;
struct KernelPlan;

/// Turns a kernel without barriers into `run`: one block, or with kernel.runs_block_rows several.
void make_block_function(KernelPlan& kernel, const KernelBody& body,
                         const llvm::TargetMachine& machine);

}  // namespace treadle::cuda_cpu
