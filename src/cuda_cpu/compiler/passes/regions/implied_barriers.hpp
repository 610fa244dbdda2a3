// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class Loop;
}  // namespace llvm

namespace treadle::cuda_cpu {

class Uniformity;

/// Whether the body stores to shared memory through a volatile pointer, as code did that counts on
/// a warp's threads running in step.
bool relies_on_warps(const KernelBody& body);

/// Puts warp barriers around those stores.
void add_warp_barriers(const KernelBody& body);

/// Whether loops run in step for their speed; those that wait for another thread always do.
enum class Interchange { off, on };

/// Whether threads should run `loop` together, step by step.
bool runs_in_steps(const llvm::Loop& loop, const Uniformity& uniformity, Interchange interchange);

/// Puts scheduling barriers into inner loops that threads should run together.
void add_scheduling_barriers(const KernelBody& body, const Uniformity& uniformity,
                             Interchange interchange);

}  // namespace treadle::cuda_cpu
