// SPDX-License-Identifier: MIT
#pragma once

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelPlan;
struct SplitKernel;

/// Whether loads of loop counters carry the marks that the software prefetch reads.
enum class Counters { unmarked, marked };

/// Fills kernel.regions: `run_all` and `run_selected` of each region of `split`, whose functions
/// and body are used up.
void make_region_entries(KernelPlan& kernel, const SplitKernel& split,
                         const llvm::TargetMachine& machine, Counters counters);

}  // namespace treadle::cuda_cpu
