// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/module_abi.h"

namespace llvm {
class Instruction;
class Loop;
}  // namespace llvm

namespace treadle::cuda_cpu {

class Uniformity;

/// Calls the marker of a barrier in front of `before`.
void call_barrier(llvm::Instruction* before, BarrierKind kind);

/// Whether the body stores to shared memory through a volatile pointer: other threads may wait for
/// it in a loop.
bool hands_over_in_loops(const KernelBody& body);

/// Whether loops are interchanged with the loop over threads for their speed; those that wait for
/// another thread always are.
enum class Interchange { off, on };

/// Whether `loop` is interchanged with the loop over threads: all threads run an iteration before
/// the next.
bool runs_in_steps(const llvm::Loop& loop, const Uniformity& uniformity, Interchange interchange);

/// Puts scheduling barriers at the head of inner loops that are interchanged.
void add_scheduling_barriers(const KernelBody& body, const Uniformity& uniformity,
                             Interchange interchange);

}  // namespace treadle::cuda_cpu
