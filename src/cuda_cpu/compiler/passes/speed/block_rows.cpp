// SPDX-License-Identifier: MIT
// Block rows: kernels whose accesses are all coalesced, and which do nothing else, run several
// blocks of a row of the grid together. One block of 32 by 8 threads after the other accesses 8
// rows of an image, 128 bytes of each; run together, four of them access 512 bytes of a row before
// the next:
//
//   block 0 | block 1 | ...             order of the rows of threads
//    0        8                          0   1   2   3
//    1        9                =>        4   5   6   7
//    2       10                          8   9  10  11
//
// Rows of an image are often a power of two apart and then share one set of the cache: 18 of them
// do not fit. Not for kernels with loops, where a block reads again what it has read, nor with
// shared memory or anything else that belongs to a block.
#include "cuda_cpu/compiler/passes/speed/block_rows.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"
#include "cuda_cpu/compiler/passes/check/row_finder.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

/// Whether the check is of what a block has done before.
bool is_of_a_block(const llvm::CallInst& check) {
  if (marker_of(check) == Marker::check_access) {
    const auto flags = flags_of_check(check);
    return !flags || (*flags & (check_race | check_order | object_shared | object_local)) != 0;
  }
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(check.getArgOperand(0));
  return step == nullptr || static_cast<CheckedStep>(step->getZExtValue()) != CheckedStep::start;
}

}  // namespace

bool suits_block_rows(const KernelBody& body, PassRunner& runner) {
  const bool own = !body.shared()->use_empty() || !body.context()->use_empty();
  if (own || body.stores_thread_index) return false;
  const auto& loops = runner.fresh_analyses().getResult<llvm::LoopAnalysis>(*body.function);
  if (!loops.empty()) return false;
  AffineStrides strides(body, loops, 0);
  return llvm::all_of(llvm::instructions(*body.function), [&](const llvm::Instruction& i) {
    if (is_check(marker_of(i))) return !is_of_a_block(llvm::cast<llvm::CallInst>(i));
    // Who calls sinf waits for no memory, and one loop more costs it 4 %.
    const bool calls = llvm::isa<llvm::CallInst>(i) && !llvm::isa<llvm::IntrinsicInst>(i);
    return !calls && !llvm::isa<llvm::AllocaInst>(i) && strides.coalesced(i);
  });
}

}  // namespace treadle::cuda_cpu
