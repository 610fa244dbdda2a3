// SPDX-License-Identifier: MIT
// Shared atomics: one worker runs all threads of a block, so nobody else sees a block's
// shared memory and an atomic operation on it needs no lock. They are marked while it shows that
// the memory is shared, and made plain after the loops' accesses were declared independent: these
// are not, two threads may well meet in one place.
//
//   %o = atomicrmw add ptr %shared, i32 %v seq_cst    =>    %o = load i32, ptr %shared
//                                                           %n = add i32 %o, %v
//                                                           store i32 %n, ptr %shared
#include "cuda_cpu/compiler/passes/speed/shared_atomics.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

namespace treadle::cuda_cpu {
namespace {

constexpr const char* mark_name = "treadle.shared";

void make_plain(llvm::AtomicRMWInst& atomic) {
  llvm::IRBuilder<> builder(&atomic);
  llvm::Value* pointer = atomic.getPointerOperand();
  llvm::Value* before = builder.CreateAlignedLoad(atomic.getType(), pointer, atomic.getAlign());
  llvm::Value* after =
      llvm::buildAtomicRMWValue(atomic.getOperation(), builder, before, atomic.getValOperand());
  builder.CreateAlignedStore(after, pointer, atomic.getAlign());
  atomic.replaceAllUsesWith(before);
  atomic.eraseFromParent();
}

void make_plain(llvm::AtomicCmpXchgInst& atomic) {
  llvm::IRBuilder<> builder(&atomic);
  llvm::Value* pointer = atomic.getPointerOperand();
  llvm::Value* wanted = atomic.getNewValOperand();
  llvm::Value* before = builder.CreateAlignedLoad(wanted->getType(), pointer, atomic.getAlign());
  llvm::Value* equal = builder.CreateICmpEQ(before, atomic.getCompareOperand());
  builder.CreateAlignedStore(builder.CreateSelect(equal, wanted, before), pointer,
                             atomic.getAlign());
  llvm::Value* result = llvm::PoisonValue::get(atomic.getType());
  result = builder.CreateInsertValue(result, before, 0u);
  result = builder.CreateInsertValue(result, equal, 1u);
  atomic.replaceAllUsesWith(result);
  atomic.eraseFromParent();
}

}  // namespace

void mark_shared_atomics(const KernelBody& body) {
  llvm::MDNode* mark = llvm::MDNode::get(body.function->getContext(), {});
  for (llvm::Instruction& instruction : llvm::instructions(*body.function)) {
    const llvm::Value* pointer = nullptr;
    if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      pointer = update->getPointerOperand();
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      pointer = exchange->getPointerOperand();
    if (pointer && llvm::getUnderlyingObject(pointer, 0) == body.shared())
      instruction.setMetadata(mark_name, mark);
  }
}

void make_shared_atomics_plain(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!instruction.getMetadata(mark_name)) continue;
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      make_plain(*update);
    else
      make_plain(llvm::cast<llvm::AtomicCmpXchgInst>(instruction));
  }
}

}  // namespace treadle::cuda_cpu
