// SPDX-License-Identifier: MIT
// Multiply-adds: LLVM's code generator fuses a product and a sum that stand in one block.
// Where the rows of a block have a known width (row_width), a product that all rows share may be
// moved out of the loop over them first, and a thread's result would depend on the block's shape.
//
//   %m = fmul contract float %a, %b
//   %s = fadd contract float %m, %c     =>     %s = call contract float @llvm.fmuladd(%a, %b, %c)
#include "cuda_cpu/compiler/passes/lowering/fuse_multiply_adds.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;
using llvm::Value;

Instruction* product_for_one(Value* value) {
  auto* product = llvm::dyn_cast<Instruction>(value);
  const bool suits = product && product->getOpcode() == Instruction::FMul &&
                     product->hasAllowContract() && product->hasOneUse();
  return suits ? product : nullptr;
}

/// The first operand's product if both are products, as the code generator chooses.
Value* fused(Instruction& sum) {
  const bool subtracts = sum.getOpcode() == Instruction::FSub;
  if (!(subtracts || sum.getOpcode() == Instruction::FAdd) || !sum.hasAllowContract())
    return nullptr;
  Instruction* left = product_for_one(sum.getOperand(0));
  Instruction* product = left ? left : product_for_one(sum.getOperand(1));
  if (!product) return nullptr;
  llvm::IRBuilder<> builder(&sum);
  builder.setFastMathFlags(sum.getFastMathFlags());
  Value* factor = product->getOperand(0);
  Value* rest = sum.getOperand(left ? 1 : 0);
  if (subtracts) (left ? rest : factor) = builder.CreateFNeg(left ? rest : factor);
  return builder.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum.getType()},
                                 {factor, product->getOperand(1), rest});
}

}  // namespace

void fuse_multiply_adds(llvm::Function& function) {
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    Value* value = fused(instruction);
    if (!value) continue;
    instruction.replaceAllUsesWith(value);
    value->takeName(&instruction);
    const llvm::SmallVector<Value*, 2> operands(instruction.operands());
    instruction.eraseFromParent();
    for (Value* operand : operands)
      if (auto* product = llvm::dyn_cast<Instruction>(operand); product && product->use_empty())
        product->eraseFromParent();
  }
}

void fuse_for_good(llvm::Function& function) {
  fuse_multiply_adds(function);
  for (Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::FPMathOperator>(instruction)) instruction.setHasAllowContract(false);
}

}  // namespace treadle::cuda_cpu
