// SPDX-License-Identifier: MIT
// Widen indices: `int` arithmetic that may not overflow, computed in the width of addresses.
//
//   %r = mul nsw i32 %row, %n                  %row.w = sext i32 %row to i64
//   %i = add nsw i32 %r, %x              =>    %r.w = mul nsw i64 %row.w, %n.w
//   %a = sext i32 %i to i64                    %i.w = add nsw i64 %r.w, %x.w
//   gep float, ptr %p, i64 %a                  gep float, ptr %p, i64 %i.w
//
// LLVM reassociates sums and drops their no-wrap flags. Accesses that are coalesced along a row
// become vectors only where it knows that the index does not wrap: otherwise it tests for that at
// each row, and keeps a scalar loop beside the vector loop.
#include "cuda_cpu/compiler/passes/speed/widen_indices.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;
using llvm::Value;

class Widener {
 public:
  explicit Widener(llvm::Function& function) : function_(function) {}

  /// `value` as 64 bits, right behind it.
  Value* wide(Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(value->getContext()),
                                          constant->getSExtValue());
    if (Value* known = known_.lookup(value)) return known;
    llvm::IRBuilder<> builder(&*behind(value));
    const auto* from = llvm::dyn_cast<Instruction>(value);
    builder.SetCurrentDebugLocation(from ? from->getDebugLoc() : llvm::DebugLoc());
    Value* made = nullptr;
    if (auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value); sum && keeps_sign(*sum)) {
      Value* left = wide(sum->getOperand(0));
      Value* right = wide(sum->getOperand(1));
      made = builder.CreateBinOp(sum->getOpcode(), left, right);
      if (auto* wide_sum = llvm::dyn_cast<Instruction>(made)) wide_sum->setHasNoSignedWrap();
    } else {
      made = builder.CreateSExt(value, builder.getInt64Ty());
    }
    return known_[value] = made;
  }

  static bool keeps_sign(const llvm::BinaryOperator& sum) {
    switch (sum.getOpcode()) {
      case Instruction::Shl:
        return sum.hasNoSignedWrap() && llvm::isa<llvm::ConstantInt>(sum.getOperand(1));
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
        return sum.hasNoSignedWrap();
      default:
        return false;
    }
  }

 private:
  llvm::BasicBlock::iterator behind(Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction ? *instruction->getInsertionPointAfterDef()
                       : function_.getEntryBlock().getFirstInsertionPt();
  }

  llvm::Function& function_;
  llvm::DenseMap<Value*, Value*> known_;
};

}  // namespace

void widen_indices(const KernelBody& body) {
  const llvm::DominatorTree dominators(*body.function);
  const llvm::LoopInfo loops(dominators);
  AffineStrides strides(body, loops, 0);
  llvm::SmallVector<llvm::SExtInst*, 8> indices;
  for (Instruction& instruction : llvm::instructions(*body.function)) {
    auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction);
    if (!extension || !extension->getSrcTy()->isIntegerTy(32) ||
        !extension->getType()->isIntegerTy(64))
      continue;
    const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(extension->getOperand(0));
    const bool address = llvm::any_of(extension->users(), [](const llvm::User* user) {
      return llvm::isa<llvm::GetElementPtrInst>(user);
    });
    if (sum && Widener::keeps_sign(*sum) && address && strides.stride(extension))
      indices.push_back(extension);
  }
  Widener widener(*body.function);
  for (llvm::SExtInst* index : indices) {
    index->replaceAllUsesWith(widener.wide(index->getOperand(0)));
    index->eraseFromParent();
  }
}

}  // namespace treadle::cuda_cpu
