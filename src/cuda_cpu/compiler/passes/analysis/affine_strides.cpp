// SPDX-License-Identifier: MIT
// Analysis: values that are affine in the thread index along one dimension, `base + stride * x`
// with a constant stride and a base that is uniform along it. The strides along x, for a row of 16
// floats in a tile:
//
//   %i = add i32 %thread.x, %n                        1
//   %r = shl i32 %thread.y, 4                         0, along y 16
//   %j = add i32 %r, %thread.x                        1
//   %p = getelementptr float, ptr %tile, i32 %j       4, along y 64
//   %v = load i32, ptr %p                             none: it could be anything
//   %l = alloca [4 x float]                           none: each thread has its own
#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdlib>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

using llvm::Instruction;

AffineStrides::AffineStrides(const KernelBody& body, const llvm::LoopInfo& loops,
                             unsigned dimension)
    : index_(body.thread_index(dimension)),
      loops_(loops),
      layout_(body.function->getParent()->getDataLayout()) {}

std::optional<std::int64_t> AffineStrides::stride(const llvm::Value* value) {
  if (llvm::isa<llvm::Argument>(value)) return value == index_ ? 1 : 0;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction) return 0;
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  known_[value] = std::nullopt;  // for a way round that is no loop
  const auto known = compute(*instruction);
  known_[value] = known;
  return known;
}

bool AffineStrides::coalesced(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call && call->isAssumeLikeIntrinsic()) return true;
  if (!instruction.mayReadOrWriteMemory()) return true;
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (!pointer || instruction.isVolatile() || instruction.isAtomic()) return false;
  const auto distance = stride(pointer);
  const auto* type = llvm::getLoadStoreType(const_cast<Instruction*>(&instruction));
  const auto size = layout_.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedValue();
  return distance && (*distance == 0 || std::abs(*distance) == static_cast<std::int64_t>(size));
}

AffineStrides::Stride AffineStrides::compute(const Instruction& value) {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) return at_loop_entry(*phi);
  if (const auto* pointer = llvm::dyn_cast<llvm::GetElementPtrInst>(&value))
    return address(*pointer);
  if (llvm::isa<llvm::CastInst>(value)) return stride(value.getOperand(0));
  if (llvm::isa<llvm::AllocaInst>(value)) return std::nullopt;
  const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&value);
  const unsigned operation =
      disjoint && disjoint->isDisjoint() ? unsigned{Instruction::Add} : value.getOpcode();
  if (operation != Instruction::Add && operation != Instruction::Sub &&
      operation != Instruction::Mul && operation != Instruction::Shl)
    return zero_if_uniform(value);
  const Stride left = stride(value.getOperand(0)), right = stride(value.getOperand(1));
  if (!left || !right) return std::nullopt;
  // Strides may wrap, as the values do: hashes multiply by large constants.
  const auto a = static_cast<std::uint64_t>(*left), b = static_cast<std::uint64_t>(*right);
  if (operation == Instruction::Add) return static_cast<std::int64_t>(a + b);
  if (operation == Instruction::Sub) return static_cast<std::int64_t>(a - b);
  if (a == 0 && b == 0) return 0;
  const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(value.getOperand(1));
  if (!factor || factor->getBitWidth() > 64) return std::nullopt;
  return static_cast<std::int64_t>(operation == Instruction::Mul
                                       ? a * static_cast<std::uint64_t>(factor->getSExtValue())
                                       : a << factor->getLimitedValue(31));
}

AffineStrides::Stride AffineStrides::at_loop_entry(const llvm::PHINode& phi) {
  const llvm::Loop* loop = loops_.getLoopFor(phi.getParent());
  const bool at_head = loop && loop->getHeader() == phi.getParent();
  Stride common;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    if (at_head && loop->contains(phi.getIncomingBlock(i))) continue;
    const Stride own = stride(phi.getIncomingValue(i));
    if (!own || (common && *common != *own)) return std::nullopt;
    common = own;
  }
  return common;
}

AffineStrides::Stride AffineStrides::address(const llvm::GetElementPtrInst& pointer) {
  Stride total = stride(pointer.getPointerOperand());
  for (auto index = llvm::gep_type_begin(pointer); index != llvm::gep_type_end(pointer); ++index) {
    const Stride own = stride(index.getOperand());
    if (!own || !total) return std::nullopt;
    if (*own == 0) continue;
    if (index.isStruct()) return std::nullopt;
    total =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(*total) +
                                  static_cast<std::uint64_t>(*own) *
                                      index.getSequentialElementStride(layout_).getFixedValue());
  }
  return total;
}

AffineStrides::Stride AffineStrides::zero_if_uniform(const Instruction& value) {
  for (const llvm::Use& operand : value.operands())
    if (stride(operand.get()) != Stride(0)) return std::nullopt;
  return 0;
}

}  // namespace treadle::cuda_cpu
