// SPDX-License-Identifier: MIT
// Index-set splitting: a guard, `if (i < n) { ... }` around a whole kernel, holds for all threads
// but those of the last blocks. Evaluated for each thread it costs a mask for each vector, and not
// every processor prefetches for masked loads: one thread moved 24 GB/s with masks, 70 without. The
// threads of a row are split into those that pass the guards, which the row's first and last thread
// tell, and run a copy of the body without them, and the rest.
//
//   br (%i < %n), %work, %end               for all %i below %n:
//   work: store (%p + %i), %v         =>      store (%p + %i), %v
#include "cuda_cpu/compiler/passes/speed/index_set_splitting.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {
namespace {

/// A copy takes as long to compile as the kernel. Long kernels do not wait for memory.
constexpr std::ptrdiff_t most_instructions = 500;
/// In front of a guard: threads that do not pass it run these one after the other.
constexpr std::ptrdiff_t most_before = 40;

bool is_marker(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->isAssumeLikeIntrinsic();
}

/// Whether LLVM could make vectors of threads, which is where masks come from.
bool may_become_vectors(const llvm::Function& body) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
  llvm::FindFunctionBackedges(body, back_edges);
  if (!back_edges.empty()) return false;
  return llvm::none_of(llvm::instructions(body), [](const llvm::Instruction& instruction) {
    const bool calls = llvm::isa<llvm::CallBase>(instruction) && !is_marker(instruction);
    return instruction.isAtomic() || (calls && instruction.mayWriteToMemory());
  });
}

/// Whether a thread that comes to `block` does nothing more.
bool is_end(const llvm::BasicBlock& block) {
  return llvm::isa<llvm::ReturnInst>(block.getFirstNonPHIOrDbgOrLifetime());
}

/// Where a thread goes that passes the guard at the end of `block`, which does little more than to
/// ask; null if there is none. Who does not pass ends there.
const llvm::BasicBlock* behind_guard(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || block.sizeWithoutDebug() > most_before) return nullptr;
  for (const llvm::Instruction& instruction : block)
    if (instruction.mayHaveSideEffects() && !is_marker(instruction)) return nullptr;
  if (branch->isUnconditional()) return branch->getSuccessor(0);
  const auto *first = branch->getSuccessor(0), *second = branch->getSuccessor(1);
  if (is_end(*first) == is_end(*second)) return nullptr;
  return is_end(*first) ? second : first;
}

}  // namespace

IndexSetSplit::IndexSetSplit(const KernelBody& body) {
  std::ptrdiff_t instructions = 0;
  for (const llvm::BasicBlock& block : *body.function) instructions += block.sizeWithoutDebug();
  if (instructions > most_instructions || !may_become_vectors(*body.function)) return;
  RowValues row(body);
  row.set(body.user_parameters, RowValues::Kind::consecutive);
  const llvm::BasicBlock* block = &body.function->getEntryBlock();
  while (const llvm::BasicBlock* next = behind_guard(*block)) {
    const auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
    if (branch->isConditional())
      conditions_.add(branch->getCondition(), next == branch->getSuccessor(0), row);
    block = next;
  }
  copy_ = conditions_.copy_with_answers(*body.function);
}

}  // namespace treadle::cuda_cpu
