// SPDX-License-Identifier: MIT
// Analysis: which of the values that a region finds in the varying frame are indices. Loaded for
// each thread they make every access a gather, though the threads of `for (i = thread; i < n;
// i += step)` read side by side. Regions that have such values are made twice (barrier_regions):
//
//   %i = load i32, ptr (%frame + 4 * %thread)       %i = add nuw nsw i32 %first, %x
//   %v = load float, ptr (%p + %i)   ; gather       %v = load float, ptr (%p + %i)   ; side by side
//   if threads hold anything                        if x counts from the first thread's value
#include "cuda_cpu/compiler/passes/speed/counted_values.hpp"

#include <llvm/IR/Instructions.h>

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

}  // namespace

bool indexes_memory(const llvm::Instruction& value,
                    const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks) {
  const llvm::Type& type = *value.getType();
  return (type.isIntegerTy(32) || type.isIntegerTy(64)) && leads_to_address(value, blocks, 0);
}

}  // namespace treadle::cuda_cpu
