// SPDX-License-Identifier: MIT
// GPU arithmetic: four things C++ leaves undefined have one answer on every NVIDIA GPU, and
// programs lean on it; on x86 two of them would end the process or give other numbers.
//
//   x / 0 is all ones, x % 0 is x, INT_MIN / -1 is INT_MIN     (x86: SIGFPE)
//   x << s, x >> s with s >= width are 0, or the sign          (x86: s modulo width)
//   float to integer saturates, NaN gives 0; from or to 64 bits the top bit alone  (x86: INT_MIN)
//
//   %q = udiv i32 %x, %d    =>    %z = icmp eq i32 %d, 0
//                                 %s = select i1 %z, i32 1, i32 %d
//                                 %t = udiv i32 %x, %s
//                                 %q = select i1 %z, i32 -1, i32 %t
//
// Selects, not branches: the loops still vectorise. Nothing is added where the operand is known to
// be harmless: a nonzero constant divisor, blockDim, a masked shift amount.
#include "cuda_cpu/compiler/passes/lowering/gpu_arithmetic.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::BinaryOperator;
using llvm::Instruction;
using llvm::Value;

/// blockDim or gridDim, also as a call of the prelude's that is going to be inlined.
bool is_extent(const Value* value, unsigned depth = 0) {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || depth > 4) return false;
  if (llvm::isa<llvm::ZExtInst>(instruction)) return is_extent(instruction->getOperand(0), depth);
  const Marker marker = marker_of(*instruction);
  if (marker != Marker::none) return marker == Marker::block_size || marker == Marker::grid_size;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction);
  const llvm::Function* called = call ? call->getCalledFunction() : nullptr;
  if (!called || called->size() != 1) return false;
  const auto* end = llvm::dyn_cast<llvm::ReturnInst>(called->front().getTerminator());
  return end && end->getReturnValue() && is_extent(end->getReturnValue(), depth + 1);
}

bool known_nonzero(const Value* divisor, const llvm::DataLayout& layout) {
  return is_extent(divisor) || llvm::isKnownNonZero(divisor, llvm::SimplifyQuery(layout));
}

/// Whether `dividend / divisor` could be INT_MIN / -1.
bool may_overflow(const BinaryOperator& division, const llvm::DataLayout& layout) {
  const llvm::KnownBits divisor = llvm::computeKnownBits(division.getOperand(1), layout);
  if (!divisor.getMaxValue().isAllOnes()) return false;
  const llvm::KnownBits dividend = llvm::computeKnownBits(division.getOperand(0), layout);
  return dividend.getSignedMinValue().isMinSignedValue();
}

bool is_signed(const BinaryOperator& division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

bool compares(const Value* condition, const Value* value, const llvm::APInt& number) {
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compared || compared->getPredicate() != llvm::ICmpInst::ICMP_EQ) return false;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(compared->getOperand(1));
  return compared->getOperand(0) == value && constant && constant->getValue() == number;
}

/// Whether one of the conditions that `condition` is the "or" of is such a one.
bool includes(const Value* condition, llvm::function_ref<bool(const Value*)> is_such) {
  const auto* either = llvm::dyn_cast<BinaryOperator>(condition);
  if (!either || either->getOpcode() != Instruction::Or) return is_such(condition);
  return includes(either->getOperand(0), is_such) || includes(either->getOperand(1), is_such);
}

/// Whether the divisor is what guard_division made of it. A choice of the program's own is not.
bool is_guarded(const BinaryOperator& division) {
  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(division.getOperand(1));
  const auto* one = choice ? llvm::dyn_cast<llvm::ConstantInt>(choice->getTrueValue()) : nullptr;
  if (!one || !one->isOne()) return false;
  const Value* own = choice->getFalseValue();
  const unsigned width = one->getBitWidth();
  const auto by_zero = [&](const Value* condition) {
    return compares(condition, own, llvm::APInt::getZero(width));
  };
  const auto overflows = [&](const Value* condition) {
    const auto* both = llvm::dyn_cast<BinaryOperator>(condition);
    return both && both->getOpcode() == Instruction::And &&
           compares(both->getOperand(0), own, llvm::APInt::getAllOnes(width)) &&
           compares(both->getOperand(1), division.getOperand(0),
                    llvm::APInt::getSignedMinValue(width));
  };
  return includes(choice->getCondition(), by_zero) &&
         (!is_signed(division) || includes(choice->getCondition(), overflows));
}

/// Divides by 1 instead of what traps. Returns the condition that the divisor is zero; null where
/// it never is.
Value* guard_divisor(BinaryOperator& division, const llvm::DataLayout& layout) {
  Value* dividend = division.getOperand(0);
  Value* divisor = division.getOperand(1);
  llvm::Type* type = division.getType();
  const bool zero_possible = !known_nonzero(divisor, layout);
  const bool overflow_possible = is_signed(division) && may_overflow(division, layout);
  if (!zero_possible && !overflow_possible) return nullptr;

  llvm::IRBuilder<> builder(&division);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* is_zero = nullptr;
  Value* replace = nullptr;
  if (zero_possible) {
    is_zero = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type), "by.zero");
    replace = is_zero;
  }
  if (overflow_possible) {
    // INT_MIN / 1 and INT_MIN % 1 are the answers wanted for the divisor -1.
    Value* lowest =
        llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value* overflows =
        builder.CreateAnd(builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
                          builder.CreateICmpEQ(dividend, lowest), "overflows");
    replace = replace ? builder.CreateOr(replace, overflows) : overflows;
  }
  division.setOperand(1, builder.CreateSelect(replace, one, divisor, "divisor"));
  return is_zero;
}

void guard_division(BinaryOperator& division, const llvm::DataLayout& layout) {
  if (is_guarded(division)) return;
  Value* is_zero = guard_divisor(division, layout);
  if (!is_zero) return;
  const bool is_remainder =
      division.getOpcode() == Instruction::SRem || division.getOpcode() == Instruction::URem;
  llvm::IRBuilder<> builder(division.getNextNode());
  Value* answer =
      is_remainder ? division.getOperand(0) : llvm::Constant::getAllOnesValue(division.getType());
  Value* guarded = builder.CreateSelect(is_zero, answer, &division);
  division.replaceUsesWithIf(guarded,
                             [&](const llvm::Use& use) { return use.getUser() != guarded; });
}

void guard_shift(BinaryOperator& shift, const llvm::DataLayout& layout) {
  Value* amount = shift.getOperand(1);
  llvm::Type* type = shift.getType();
  const unsigned width = type->getScalarSizeInBits();
  if (llvm::computeKnownBits(amount, layout).getMaxValue().ult(width)) return;
  llvm::IRBuilder<> builder(&shift);
  if (shift.getOpcode() == Instruction::AShr) {
    Value* last = llvm::ConstantInt::get(type, width - 1);
    shift.setOperand(1, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, last));
    return;
  }
  Value* in_range = builder.CreateICmpULT(amount, llvm::ConstantInt::get(type, width), "in.range");
  builder.SetInsertPoint(shift.getNextNode());
  Value* guarded = builder.CreateSelect(in_range, &shift, llvm::Constant::getNullValue(type));
  shift.replaceUsesWithIf(guarded, [&](const llvm::Use& use) { return use.getUser() != guarded; });
}

/// To less than 32 bits a GPU converts through 32: (char)300.0f is 44, not 127. What is no number
/// becomes 0 between types of 32 bits; PTX says 1 << (width - 1) where either has 64.
void saturate(Instruction& conversion, bool is_signed) {
  Value* number = conversion.getOperand(0);
  llvm::Type* type = conversion.getType();
  llvm::IRBuilder<> builder(&conversion);
  llvm::Type* wide = type;
  if (type->getScalarSizeInBits() < 32) wide = type->getWithNewBitWidth(32);
  const auto intrinsic = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value* converted = builder.CreateIntrinsic(intrinsic, {wide, number->getType()}, {number});
  const unsigned width = wide->getScalarSizeInBits();
  if (width == 64 || number->getType()->getScalarType()->isDoubleTy()) {
    Value* is_nan = builder.CreateFCmpUNO(number, number, "is.nan");
    Value* top_bit = llvm::ConstantInt::get(wide, llvm::APInt::getSignMask(width));
    converted = builder.CreateSelect(is_nan, top_bit, converted);
  }
  conversion.replaceAllUsesWith(builder.CreateTrunc(converted, type));
  conversion.eraseFromParent();
}

}  // namespace

void saturate_conversions(llvm::Function& function) {
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call) continue;
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    if (id == llvm::Intrinsic::fptosi_sat || id == llvm::Intrinsic::fptoui_sat)
      saturate(instruction, id == llvm::Intrinsic::fptosi_sat);
  }
}

void make_harmless(BinaryOperator& division) {
  llvm::IRBuilder<> builder(&division);
  for (llvm::Use& operand : division.operands())
    if (!llvm::isa<llvm::Constant>(operand)) operand.set(builder.CreateFreeze(operand));
  guard_divisor(division, division.getModule()->getDataLayout());
}

void give_gpu_arithmetic(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    switch (instruction.getOpcode()) {
      case Instruction::SDiv:
      case Instruction::UDiv:
      case Instruction::SRem:
      case Instruction::URem:
        guard_division(llvm::cast<BinaryOperator>(instruction), layout);
        break;
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr:
        guard_shift(llvm::cast<BinaryOperator>(instruction), layout);
        break;
      case Instruction::FPToSI:
      case Instruction::FPToUI:
        saturate(instruction, instruction.getOpcode() == Instruction::FPToSI);
        break;
      default:
        break;
    }
  }
}

}  // namespace treadle::cuda_cpu
