// SPDX-License-Identifier: MIT
// Consecutive indices: which of the values that a region finds in the varying frame are indices of
// memory. Loaded for each thread they make every access a gather, though the accesses of
// `for (i = thread; i < n; i += step)` are coalesced. Regions that have such values compute them
// from the first thread's, for each run of threads whose indices are consecutive, which is a whole
// row as a rule (region_entries):
//
//   %i = load i32, ptr (%frame + 4 * %thread)       %i = add nuw nsw i32 %first, %x
//   %v = load float, ptr (%p + %i)   ; gather  =>   %v = load float, ptr (%p + %i)   ; a vector
#include "cuda_cpu/compiler/passes/speed/consecutive_indices.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"

namespace treadle::cuda_cpu {
namespace {

// An address is a few operations away from its index, or not worth another copy of the region.
constexpr unsigned longest_way = 8;

bool leads_to_address(const llvm::Instruction& value,
                      const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks,
                      unsigned steps) {
  if (steps == longest_way) return false;
  for (const llvm::User* user : value.users()) {
    const auto* next = llvm::cast<llvm::Instruction>(user);
    if (!blocks.contains(next->getParent())) continue;
    if (llvm::getLoadStorePointerOperand(next) == &value) return true;
    if (llvm::isa<llvm::GetElementPtrInst, llvm::BinaryOperator, llvm::CastInst>(next) &&
        leads_to_address(*next, blocks, steps + 1))
      return true;
  }
  return false;
}

bool indexes_memory(const llvm::Instruction& value,
                    const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks) {
  const llvm::Type& type = *value.getType();
  return (type.isIntegerTy(32) || type.isIntegerTy(64)) && leads_to_address(value, blocks, 0);
}

/// Whether iterations of the loop that `value` is a counter of move it alike in all threads.
bool moves_in_step(const llvm::Instruction& value, const llvm::LoopInfo& loops,
                   AffineStrides& strides) {
  const auto* counter = llvm::dyn_cast<llvm::PHINode>(&value);
  const llvm::Loop* loop = counter ? loops.getLoopFor(counter->getParent()) : nullptr;
  if (!loop || loop->getHeader() != counter->getParent()) return true;
  return llvm::all_of(counter->blocks(), [&](const llvm::BasicBlock* from) {
    return !loop->contains(from) || strides.stride(counter->getIncomingValueForBlock(from)) == 1;
  });
}

}  // namespace

// Only in interchanged loops, which use their indices over and over, and only indices that start
// consecutive and that one step moves in all threads: those of sparse rows, or of lists, would be
// runs of one thread each.
void find_consecutive_indices(SplitKernel& kernel) {
  llvm::DominatorTree dominators(*kernel.body.function);
  const llvm::LoopInfo loops(dominators);
  AffineStrides strides(kernel.body, loops, 0);
  for (unsigned i = 0; i < kernel.regions.size(); ++i) {
    const RegionGraph::Region& region = kernel.graph->regions()[i];
    if (region.barrier != BarrierKind::scheduling) continue;
    const llvm::SmallPtrSet<const llvm::BasicBlock*, 16> blocks(region.blocks.begin(),
                                                                region.blocks.end());
    for (const llvm::Instruction* value : kernel.live->needed_by(i)) {
      const Slot* slot = kernel.live->slot_of(value);
      if (slot && !slot->uniform && indexes_memory(*value, blocks) && strides.stride(value) == 1 &&
          moves_in_step(*value, loops, strides))
        kernel.regions[i].indices.push_back(slot);
    }
  }
}

}  // namespace treadle::cuda_cpu
