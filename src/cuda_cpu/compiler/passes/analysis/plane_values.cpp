// SPDX-License-Identifier: MIT
// Analysis and helper: values in several rows of threads. What an address or an index is in the
// first two rows tells what it is in all of them, if it is a sum of products with numbers that all
// rows share, and no integer on the way to it becomes wider after it has wrapped.
//
//   %r = mul i32 %y, %n          affine: %n more in each row
//   %w = sext i32 %r to i64      affine, if %r is no number of more than 32 bits at the corners
//   %p = gep float, %a, %w       affine: what it is more in the second row, it is more in each
#include "cuda_cpu/compiler/passes/analysis/plane_values.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

using llvm::Instruction;
using llvm::Value;

PlaneValues::PlaneValues(const KernelBody& body, Rows rows) : body_(body), rows_(rows) {
  for (const llvm::Argument& argument : body.function->args()) kinds_[&argument] = Kind::uniform;
  if (rows == Rows::of_blocks) {
    kinds_[body.block_index(0)] = Kind::affine;
    return;
  }
  kinds_[body.thread_index(1)] = Kind::affine;
  // The number in the block, which regions have.
  const unsigned linear = body.user_parameters + KernelBody::hidden_parameters;
  if (linear < body.function->arg_size()) kinds_[body.function->getArg(linear)] = Kind::affine;
}

PlaneValues::Kind PlaneValues::kind(const Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return Kind::uniform;
  const auto [found, is_new] = kinds_.try_emplace(value, Kind::other);
  if (!is_new) return found->second;
  const Kind result = compute(llvm::cast<Instruction>(*value));
  return kinds_[value] = result;
}

/// Of a block's context what rows share; nothing that another block finds changed.
PlaneValues::Kind PlaneValues::of_load(const llvm::LoadInst& load) const {
  const bool is_field = rows_ == Rows::of_block && body_.reads_block_field(load);
  return is_field || body_.reads_member(load) ? Kind::uniform : Kind::other;
}

PlaneValues::Kind PlaneValues::of_sum(const llvm::User& value) {
  Kind sum = Kind::uniform;
  for (const llvm::Use& operand : value.operands()) sum = std::max(sum, kind(operand.get()));
  return sum;
}

PlaneValues::Kind PlaneValues::compute(const Instruction& value) {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return phi->hasConstantValue() ? kind(phi->hasConstantValue()) : Kind::other;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) return of_load(*load);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&value);
      call != nullptr && (!llvm::isa<llvm::IntrinsicInst>(call) || !call->doesNotAccessMemory()))
    return Kind::other;
  const Kind all = of_sum(value);
  if (all != Kind::affine) return all;
  const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&value);
  if (disjoint != nullptr) return disjoint->isDisjoint() ? all : Kind::other;
  switch (value.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Trunc:
    case Instruction::Freeze:
    case Instruction::PtrToInt:
    case Instruction::AddrSpaceCast:
      return all;
    case Instruction::IntToPtr:
      return value.getOperand(0)->getType()->isIntegerTy(64) ? all : Kind::other;
    case Instruction::SExt:
    case Instruction::ZExt:
      return value.getOperand(0)->getType()->getScalarSizeInBits() < 32 ? Kind::other : all;
    case Instruction::Mul:
      return uniform(value.getOperand(0)) || uniform(value.getOperand(1)) ? all : Kind::other;
    case Instruction::Shl:
      return uniform(value.getOperand(1)) ? all : Kind::other;
    case Instruction::GetElementPtr: {
      // An index of fewer bits is widened by the instruction itself.
      const auto is_wide = [&](const Value* index) {
        return uniform(index) || index->getType()->isIntegerTy(64);
      };
      const auto& pointer = llvm::cast<llvm::GetElementPtrInst>(value);
      return std::all_of(pointer.idx_begin(), pointer.idx_end(), is_wide) ? all : Kind::other;
    }
    default:
      return Kind::other;
  }
}

PlaneCorners::Corners PlaneCorners::corners(llvm::IRBuilder<>& builder, Value* value,
                                            std::int64_t stride, bool is_signed) const {
  llvm::Type* const type = value->getType();
  llvm::Type* const wide = builder.getIntNTy(2 * type->getIntegerBitWidth());
  const auto widen = [&](Value* narrow, bool with_sign) {
    return with_sign ? builder.CreateSExt(narrow, wide) : builder.CreateZExt(narrow, wide);
  };
  Value* const first = builder.CreateFreeze(of_first.compute(value));
  Value* const next = builder.CreateFreeze(of_next.compute(value));
  Value* const step = widen(builder.CreateSub(next, first), true);
  Value* const down = builder.CreateMul(step, widen(last_row, false));
  Value* const along =
      builder.CreateMul(llvm::ConstantInt::getSigned(wide, stride), widen(last_x, false));
  Value* const from = widen(first, is_signed);
  Corners all{builder.getTrue(), {}};
  for (unsigned i = 0; i < 4; ++i) {
    Value* corner = from;
    if (i % 2 != 0) corner = builder.CreateAdd(corner, along);
    if (i / 2 != 0) corner = builder.CreateAdd(corner, down);
    all.values[i] = builder.CreateTrunc(corner, type);
    Value* const fits = builder.CreateICmpEQ(widen(all.values[i], is_signed), corner);
    all.fit = builder.CreateAnd(all.fit, fits);
  }
  return all;
}

Value* PlaneCorners::fit(llvm::IRBuilder<>& builder, Value* value, std::int64_t stride,
                         bool is_signed) const {
  return corners(builder, value, stride, is_signed).fit;
}

Value* PlaneCorners::hold(llvm::IRBuilder<>& builder, llvm::CmpInst::Predicate predicate,
                          Value* value, std::int64_t stride, Value* limit) const {
  const Corners all = corners(builder, value, stride, llvm::CmpInst::isSigned(predicate));
  Value* const end = builder.CreateFreeze(of_first.compute(limit));
  const auto everywhere = [&](llvm::CmpInst::Predicate asked) {
    Value* holds = builder.getTrue();
    for (Value* corner : all.values)
      holds = builder.CreateAnd(holds, builder.CreateICmp(asked, corner, end));
    return holds;
  };
  Value* const holds = predicate == llvm::CmpInst::ICMP_NE
                           ? builder.CreateOr(everywhere(llvm::CmpInst::ICMP_ULT),
                                              everywhere(llvm::CmpInst::ICMP_UGT))
                           : everywhere(predicate);
  return builder.CreateAnd(all.fit, holds);
}

}  // namespace treadle::cuda_cpu
