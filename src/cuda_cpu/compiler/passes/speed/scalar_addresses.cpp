// SPDX-License-Identifier: MIT
// Scalar addresses: an index that is stored as well is a vector, and LLVM takes
// the address of the first lane out of it. That way through a vector register is long, and hides
// from other passes how addresses go on. The first lane is computed beside the vector.
//
//   %v = add <16 x i64> %counter, %first         %v = add <16 x i64> %counter, %first
//   %i = extractelement <16 x i64> %v, 0    =>   %i = add i64 %index, %start
//   load <16 x float>, (%p + 4 * %i)             load <16 x float>, (%p + 4 * %i)
#include "cuda_cpu/compiler/passes/speed/scalar_addresses.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned longest_expression = 16;  // operations

/// First lanes of vectors, computed where the vectors are.
class FirstLanes {
 public:
  /// Null where the lane is not made of sums and products of what scalars are known for.
  Value* of(Value* vector, unsigned depth = 0) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(vector))
      return constant->getAggregateElement(0u);
    if (Value* splat = llvm::getSplatValue(vector)) return splat;
    const auto known = lanes_.find(vector);
    if (known != lanes_.end()) return known->second;
    auto* instruction = llvm::dyn_cast<Instruction>(vector);
    if (!instruction || depth == longest_expression) return nullptr;
    Value* lane = llvm::isa<llvm::PHINode>(instruction)
                      ? of_counter(llvm::cast<llvm::PHINode>(*instruction))
                      : of_operation(*instruction, depth);
    if (auto* made = llvm::dyn_cast_or_null<Instruction>(lane)) made_.push_back(made);
    return lanes_[vector] = lane;
  }

  /// What was made for lanes of which other parts are not known.
  void drop_unused() {
    for (llvm::WeakTrackingVH& made : llvm::reverse(made_))
      if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(made))
        llvm::RecursivelyDeleteDeadPHINode(phi);
      else if (auto* instruction = llvm::dyn_cast_or_null<Instruction>(made))
        llvm::RecursivelyDeleteTriviallyDeadInstructions(instruction);
  }

 private:
  /// A vector that starts with constants and grows by the same in all lanes.
  Value* of_counter(llvm::PHINode& phi) {
    if (phi.getNumIncomingValues() != 2) return nullptr;
    for (unsigned i = 0; i < 2; ++i) {
      const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValue(i));
      const auto* start = llvm::dyn_cast<llvm::Constant>(phi.getIncomingValue(1 - i));
      if (!next || !start || next->getOpcode() != Instruction::Add || next->getOperand(0) != &phi ||
          next->getParent() != phi.getIncomingBlock(i))
        continue;
      Value* step = llvm::getSplatValue(next->getOperand(1));
      Value* begin = start->getAggregateElement(0u);
      if (!step || !begin || !llvm::isa<llvm::ConstantInt>(step)) continue;
      llvm::IRBuilder<> builder(&phi);
      llvm::PHINode* lane = builder.CreatePHI(begin->getType(), 2);
      builder.SetInsertPoint(phi.getIncomingBlock(i)->getTerminator());
      lane->addIncoming(begin, phi.getIncomingBlock(1 - i));
      lane->addIncoming(builder.CreateAdd(lane, step), phi.getIncomingBlock(i));
      return lane;
    }
    return nullptr;
  }

  /// Lanes cut into smaller ones: the first is the low part of the first.
  static bool is_narrowing(const Instruction& operation) {
    return llvm::isa<llvm::BitCastInst>(operation) &&
           operation.getOperand(0)->getType()->isVectorTy() &&
           operation.getType()->getScalarSizeInBits() <
               operation.getOperand(0)->getType()->getScalarSizeInBits();
  }

  Value* of_operation(Instruction& operation, unsigned depth) {
    const bool narrows = is_narrowing(operation);
    const bool known = llvm::isa<llvm::TruncInst, llvm::ZExtInst, llvm::SExtInst>(operation) ||
                       (operation.isBinaryOp() && !operation.isIntDivRem());
    if ((!known && !narrows) || !operation.getType()->getScalarType()->isIntegerTy())
      return nullptr;
    llvm::SmallVector<Value*, 2> operands;
    for (Value* operand : operation.operands()) {
      if (!operand->getType()->getScalarType()->isIntegerTy()) return nullptr;
      operands.push_back(of(operand, depth + 1));
      if (!operands.back()) return nullptr;
    }
    llvm::IRBuilder<> builder(&operation);
    if (narrows) return builder.CreateTrunc(operands[0], operation.getType()->getScalarType());
    if (operation.isCast())
      return builder.CreateCast(llvm::cast<llvm::CastInst>(operation).getOpcode(), operands[0],
                                operation.getType()->getScalarType());
    return builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(operation).getOpcode(), operands[0],
                               operands[1]);
  }

  llvm::DenseMap<const Value*, Value*> lanes_;
  llvm::SmallVector<llvm::WeakTrackingVH, 16> made_;
};

bool leads_to_address(const Value& value) {
  return llvm::any_of(value.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::CastInst>(user))
      return llvm::any_of(user->users(), [](const llvm::User* next) {
        return llvm::isa<llvm::GetElementPtrInst>(next);
      });
    return llvm::isa<llvm::GetElementPtrInst>(user);
  });
}

}  // namespace

llvm::PreservedAnalyses ScalarAddresses::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager&) {
  FirstLanes lanes;
  llvm::SmallVector<llvm::WeakTrackingVH, 8> unused;
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    using llvm::PatternMatch::m_Value, llvm::PatternMatch::m_Zero;
    Value* vector = nullptr;
    if (!llvm::PatternMatch::match(&instruction,
                                   llvm::PatternMatch::m_ExtractElt(m_Value(vector), m_Zero())) ||
        !leads_to_address(instruction))
      continue;
    Value* lane = lanes.of(vector);
    if (!lane || lane == &instruction) continue;
    instruction.replaceAllUsesWith(lane);
    unused.push_back(&instruction);
  }
  lanes.drop_unused();
  if (unused.empty()) return llvm::PreservedAnalyses::all();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(unused);
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace treadle::cuda_cpu
