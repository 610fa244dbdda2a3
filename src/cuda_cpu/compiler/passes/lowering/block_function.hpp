// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelWork;

/// Turns a kernel without barriers into plan.run: one block, or with plan.runs_block_rows several.
/// Its body is used up.
void make_block_function(KernelWork& kernel, const llvm::TargetMachine& machine);

}  // namespace treadle::cuda_cpu
