// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

class PassRunner;

/// Makes kernel.thread of a copy of `body`: what one thread does, to be run on a stack of its own.
void make_thread_function(KernelPlan& kernel, const KernelBody& body,
                          const llvm::TargetMachine& machine, PassRunner& runner);

}  // namespace treadle::cuda_cpu
