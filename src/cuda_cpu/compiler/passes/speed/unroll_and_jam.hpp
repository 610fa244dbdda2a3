// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class CallInst;
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// How many rows of threads are unrolled and jammed, and into which vectors. With one row LLVM
/// chooses these.
struct UnrollAndJamPlan {
  unsigned rows = 1;
  unsigned vector_elements = 0, vectors = 0;  ///< interleaved, of a row
};

/// For blocks whose rows have `width` threads. `region`: one region of a body as a function with
/// the same parameters in front.
UnrollAndJamPlan plan_unroll_and_jam(const KernelBody& region, unsigned width,
                                     const llvm::TargetMachine& machine);

/// Inlines what threads of one or several rows call, one call right behind the other. Several call
/// a region without branches, and take turns instruction by instruction: what they read alike is
/// then read once, and soon used up.
void inline_threads(llvm::ArrayRef<llvm::CallInst*> calls);

}  // namespace treadle::cuda_cpu
