// SPDX-License-Identifier: MIT
// Indices of a kernel's own loops: LLVM widens induction variables and drops comparisons that it
// can answer. For that it looks at all that is computed of a counter; of the counters of loops over
// threads that is nearly the whole kernel: a tenth of a compile, and nothing that is not known.
// What they count is in no pass's way, vectors included.
//
//   for x { for (int i = 0; i < n; ++i) sum += p[i]; }    =>    for x { for (long i = 0; ...) }
#include "cuda_cpu/compiler/passes/own_loop_indices.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"

namespace treadle::cuda_cpu {
namespace {

bool runs_threads(const llvm::Loop& loop) {
  return llvm::findStringMetadataForLoop(&loop, thread_loop_mark).has_value();
}

}  // namespace

llvm::PreservedAnalyses OwnLoopIndices::run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                            llvm::LoopStandardAnalysisResults& known,
                                            llvm::LPMUpdater& updater) {
  // Between two loops over threads stands one over the runs of a row, without a mark.
  if (runs_threads(loop) || llvm::any_of(loop, [](auto* inner) { return runs_threads(*inner); }))
    return llvm::PreservedAnalyses::all();
  return llvm::IndVarSimplifyPass().run(loop, analyses, known, updater);
}

}  // namespace treadle::cuda_cpu
