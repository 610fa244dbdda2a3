// SPDX-License-Identifier: MIT
// Vector conversions: LLVM's vectoriser takes conversions that saturate, and its code generator
// takes the vectors apart again, a branch or two for each lane. Written out as what they mean they
// stay vectors: the conversion of a number that fits, and the nearest integer there is otherwise.
//
//   %i = call i32 @llvm.fptosi.sat.i32.f32(float %x)
//
//   %f = fcmp oge %x, -2^31 and fcmp olt %x, 2^31        %i = fptosi (select %f, %x, 0)
//   select (fcmp oge %x, 2^31), 2^31 - 1, (select (fcmp olt %x, -2^31), -2^31, %i)
#include "cuda_cpu/compiler/passes/speed/vector_conversions.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cmath>

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

Value* written_out(llvm::IntrinsicInst& conversion, bool is_signed) {
  llvm::IRBuilder<> builder(&conversion);
  Value* const number = conversion.getArgOperand(0);
  llvm::Type* const type = conversion.getType();
  const unsigned width = type->getScalarSizeInBits();
  const auto bound = [&](double value) { return llvm::ConstantFP::get(number->getType(), value); };
  Value* const above = bound(std::ldexp(1.0, static_cast<int>(is_signed ? width - 1 : width)));
  Value* const least = bound(is_signed ? -std::ldexp(1.0, static_cast<int>(width - 1)) : 0.0);
  Value* const fits = builder.CreateAnd(builder.CreateFCmpOGE(number, least),
                                        builder.CreateFCmpOLT(number, above), "fits");
  Value* const safe = builder.CreateSelect(fits, number, bound(0.0));
  Value* result = is_signed ? builder.CreateFPToSI(safe, type) : builder.CreateFPToUI(safe, type);
  const auto constant = [&](const llvm::APInt& value) {
    return llvm::ConstantInt::get(type, value);
  };
  result = builder.CreateSelect(
      builder.CreateFCmpOGE(number, above),
      constant(is_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width)),
      result);
  if (!is_signed) return result;
  return builder.CreateSelect(builder.CreateFCmpOLT(number, least),
                              constant(llvm::APInt::getSignedMinValue(width)), result);
}

}  // namespace

llvm::PreservedAnalyses VectorConversions::run(llvm::Function& function,
                                               llvm::FunctionAnalysisManager& /*analyses*/) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) continue;
    const bool is_signed = call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat;
    // Of numbers of 16 bits the bounds are infinite, and there is one that is equal.
    if (!is_signed && call->getIntrinsicID() != llvm::Intrinsic::fptoui_sat) continue;
    if (call->getArgOperand(0)->getType()->getScalarSizeInBits() < 32) continue;
    call->replaceAllUsesWith(written_out(*call, is_signed));
    call->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace treadle::cuda_cpu
