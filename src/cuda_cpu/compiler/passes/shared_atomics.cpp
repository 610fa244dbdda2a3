// SPDX-License-Identifier: MIT
// Pass 7a, shared atomics: one worker runs all threads of a block, so nobody else sees a block's
// shared memory and an atomic operation on it needs no lock. The accesses are volatile, which keeps
// them in order and keeps loops with them from being vectorised: lanes might meet in one place.
//
//   %o = atomicrmw add ptr %shared, i32 %v seq_cst    =>    %o = load volatile i32, ptr %shared
//                                                           %n = add i32 %o, %v
//                                                           store volatile i32 %n, ptr %shared
#include "cuda_cpu/compiler/passes/shared_atomics.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace treadle::cuda_cpu {
namespace {

void make_plain(llvm::AtomicRMWInst& atomic) {
  llvm::IRBuilder<> builder(&atomic);
  llvm::Value* pointer = atomic.getPointerOperand();
  llvm::Value* before =
      builder.CreateAlignedLoad(atomic.getType(), pointer, atomic.getAlign(), /*isVolatile=*/true);
  llvm::Value* after =
      llvm::buildAtomicRMWValue(atomic.getOperation(), builder, before, atomic.getValOperand());
  builder.CreateAlignedStore(after, pointer, atomic.getAlign(), /*isVolatile=*/true);
  atomic.replaceAllUsesWith(before);
  atomic.eraseFromParent();
}

void make_plain(llvm::AtomicCmpXchgInst& atomic) {
  llvm::IRBuilder<> builder(&atomic);
  llvm::Value* pointer = atomic.getPointerOperand();
  llvm::Value* wanted = atomic.getNewValOperand();
  llvm::Value* before =
      builder.CreateAlignedLoad(wanted->getType(), pointer, atomic.getAlign(), /*isVolatile=*/true);
  llvm::Value* equal = builder.CreateICmpEQ(before, atomic.getCompareOperand());
  builder.CreateAlignedStore(builder.CreateSelect(equal, wanted, before), pointer,
                             atomic.getAlign(), /*isVolatile=*/true);
  llvm::Value* result = llvm::PoisonValue::get(atomic.getType());
  result = builder.CreateInsertValue(result, before, 0u);
  result = builder.CreateInsertValue(result, equal, 1u);
  atomic.replaceAllUsesWith(result);
  atomic.eraseFromParent();
}

}  // namespace

void make_shared_atomics_plain(const KernelBody& body) {
  auto is_shared = [&](const llvm::Value* pointer) {
    return llvm::getUnderlyingObject(pointer, 0) == body.shared();
  };
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(*body.function))) {
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      if (is_shared(update->getPointerOperand())) make_plain(*update);
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (is_shared(exchange->getPointerOperand())) make_plain(*exchange);
    }
  }
}

}  // namespace treadle::cuda_cpu
