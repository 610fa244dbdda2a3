// SPDX-License-Identifier: MIT
// Analysis and helper: conditions for a whole row of threads. Where an index that is consecutive
// along the row is compared with a uniform limit, the first and the last thread of the row tell the
// answer for all between them.
//
//   %i = add i32 %n, %thread.x            consecutive     first: %a = add i32 %n, 0
//   %c = icmp slt i32 %i, %limit          true for all    last:  %b = add i32 %n, %last
//   br i1 %c, ...                         threads if             %a < %limit, %b < %limit,
//                                                                %b - %a == %last, %a <= %b
#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

/// The comparisons which must all give `answer` for `condition` to give it.
llvm::SmallVector<const llvm::ICmpInst*, 2> all_needed(const Value* condition, bool answer) {
  using llvm::PatternMatch::match, llvm::PatternMatch::m_Value;
  llvm::SmallVector<const llvm::ICmpInst*, 2> found;
  llvm::SmallVector<const Value*, 4> open{condition};
  llvm::SmallPtrSet<const Value*, 4> seen;
  while (!open.empty()) {
    const Value* value = open.pop_back_val();
    if (!seen.insert(value).second) continue;
    const Value *left = nullptr, *right = nullptr;
    if (answer ? match(value, llvm::PatternMatch::m_LogicalAnd(m_Value(left), m_Value(right)))
               : match(value, llvm::PatternMatch::m_LogicalOr(m_Value(left), m_Value(right)))) {
      open.append({left, right});
    } else if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(value)) {
      // That neither end equals a limit says nothing about those between them.
      if (!compare->isEquality() && compare->getOperand(0)->getType()->isIntegerTy() &&
          compare->getOperand(0)->getType()->getIntegerBitWidth() >= 32)
        found.push_back(compare);
    }
  }
  return found;
}

}  // namespace

RowValues::RowValues(const KernelBody& body) : body_(body) {
  for (const llvm::Argument& argument : body.function->args()) kinds_[&argument] = Kind::uniform;
}

void RowValues::set(unsigned parameter, Kind kind) {
  kinds_[body_.function->getArg(parameter)] = kind;
}

RowValues::Kind RowValues::kind(const Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return Kind::uniform;
  const auto [found, is_new] = kinds_.try_emplace(value, Kind::other);
  if (!is_new) return found->second;
  const Kind result = compute(llvm::cast<llvm::Instruction>(*value));
  return kinds_[value] = result;
}

/// Uniform values are rematerialised where the program may not compute them: nothing that may trap.
RowValues::Kind RowValues::compute(const llvm::Instruction& value) {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value))
    return phi->hasConstantValue() ? kind(phi->hasConstantValue()) : Kind::other;
  if (!value.getType()->isIntegerTy()) return Kind::other;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value))
    return body_.reads_member(*load) ? Kind::uniform : Kind::other;
  if (llvm::isa<llvm::CastInst>(value))
    return value.getOperand(0)->getType()->isIntegerTy() ? kind(value.getOperand(0)) : Kind::other;
  if (!value.isBinaryOp() || value.isIntDivRem()) return Kind::other;
  const Kind left = kind(value.getOperand(0)), right = kind(value.getOperand(1));
  if (left == Kind::uniform && right == Kind::uniform) return Kind::uniform;
  if (value.getOpcode() == llvm::Instruction::Add && left == Kind::uniform) return right;
  const bool sum =
      value.getOpcode() == llvm::Instruction::Add || value.getOpcode() == llvm::Instruction::Sub;
  return sum && right == Kind::uniform ? left : Kind::other;
}

Value* Rematerializer::compute(Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
    return arguments_[argument->getArgNo()];
  if (Value* done = done_.lookup(value)) return done;
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
    return done_[value] = compute(phi->hasConstantValue());
  llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
  // Nobody may have asked: a thread that leaves early never comes to the later conditions.
  copy->dropPoisonGeneratingAnnotations();
  for (llvm::Use& operand : copy->operands()) operand.set(compute(operand.get()));
  builder_.Insert(copy);
  return done_[value] = copy;
}

void RowConditions::add(const Value* condition, bool answer, RowValues& row) {
  for (const llvm::ICmpInst* compare : all_needed(condition, answer)) {
    // Several branches may ask the same, and must not be told twice.
    if (llvm::any_of(conditions_, [&](const Condition& c) { return c.compare == compare; }))
      continue;
    const Value *left = compare->getOperand(0), *right = compare->getOperand(1);
    if (row.consecutive(left) && row.uniform(right))
      conditions_.push_back({compare, Side::left, answer});
    else if (row.uniform(left) && row.consecutive(right))
      conditions_.push_back({compare, Side::right, answer});
    else if (row.uniform(left) && row.uniform(right))
      conditions_.push_back({compare, Side::neither, answer});
  }
}

llvm::Function* RowConditions::copy_with_answers(llvm::Function& function) const {
  if (llvm::none_of(conditions_, [](const Condition& c) { return c.differs(); })) return nullptr;
  llvm::ValueToValueMapTy copies;
  llvm::Function* copy = copy_with_groups(function, copies);
  for (const Condition& condition : conditions_)
    copies[condition.compare]->replaceAllUsesWith(
        llvm::ConstantInt::getBool(copy->getContext(), condition.answer));
  return copy;
}

Value* RowConditions::Condition::value() const {
  return compare->getOperand(consecutive == Side::right ? 1 : 0);
}

Value* RowConditions::Condition::limit() const {
  return compare->getOperand(consecutive == Side::right ? 0 : 1);
}

llvm::CmpInst::Predicate RowConditions::Condition::predicate() const {
  const auto asked =
      consecutive == Side::right ? compare->getSwappedPredicate() : compare->getPredicate();
  return answer ? asked : llvm::CmpInst::getInversePredicate(asked);
}

/// Whether two ends are as far apart as they should be, modulo 2^bits.
Value* RowConditions::apart(llvm::IRBuilder<>& builder, Value* from, Value* to, Value* last_x) {
  return builder.CreateICmpEQ(builder.CreateSub(to, from),
                              builder.CreateZExt(last_x, from->getType()));
}

/// And if also this is so, nothing wraps between them.
Value* RowConditions::in_order(llvm::IRBuilder<>& builder, const Condition& condition, Value* from,
                               Value* to) {
  return condition.compare->isSigned() ? builder.CreateICmpSLE(from, to)
                                       : builder.CreateICmpULE(from, to);
}

Value* RowConditions::hold(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> first,
                           llvm::ArrayRef<Value*> last, Value* last_x) const {
  Rematerializer of_first(builder, first), of_last(builder, last);
  Value* all = builder.getTrue();
  const auto require = [&](Value* answer) { all = builder.CreateAnd(all, answer); };
  for (const Condition& condition : conditions_) {
    Value* const limit = of_first.compute(condition.limit());
    Value* const from = of_first.compute(condition.value());
    require(builder.CreateICmp(condition.predicate(), from, limit));
    if (!condition.differs()) continue;
    Value* const to = of_last.compute(condition.value());
    require(builder.CreateICmp(condition.predicate(), to, limit));
    require(apart(builder, from, to, last_x));
    require(in_order(builder, condition, from, to));
  }
  // A shift of what nobody asked for may be poison.
  return builder.CreateFreeze(all);
}

RowConditions::Range RowConditions::range(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> first,
                                          llvm::ArrayRef<Value*> last, Value* last_x) const {
  Rematerializer of_first(builder, first), of_last(builder, last);
  Value *const none = builder.getInt32(0), *const one = builder.getInt32(1);
  Value* const size = builder.CreateAdd(last_x, one);
  Value *begin = none, *end = size, *is_told = builder.getTrue(), *holds = builder.getTrue();
  const auto require = [&](Value* answer) { is_told = builder.CreateAnd(is_told, answer); };
  const auto choose = [&](llvm::Intrinsic::ID which, Value* left, Value* right) {
    return builder.CreateBinaryIntrinsic(which, left, right);
  };
  for (const Condition& condition : conditions_) {
    // Frozen one by one: whatever they are, no thread shall be in two parts of the row or in none.
    Value* const limit = builder.CreateFreeze(of_first.compute(condition.limit()));
    Value* from = builder.CreateFreeze(of_first.compute(condition.value()));
    const auto predicate = condition.predicate();
    if (!condition.differs()) {
      holds = builder.CreateAnd(holds, builder.CreateICmp(predicate, from, limit));
      continue;
    }
    Value* const to = builder.CreateFreeze(of_last.compute(condition.value()));
    require(apart(builder, from, to, last_x));
    Value* const ordered = in_order(builder, condition, from, to);
    Value* start = none;
    if (predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_ULE) {
      // `x - 1 < 8` is what LLVM makes of `x >= 1 && x < 9`: a row may begin below 0, outside.
      Value* const outside = builder.CreateNot(builder.CreateICmp(predicate, from, limit));
      require(builder.CreateOr(ordered, outside));
      Value* const zero = llvm::Constant::getNullValue(from->getType());
      start = builder.CreateTrunc(builder.CreateNeg(from), builder.getInt32Ty());
      start = builder.CreateSelect(ordered, none, start);
      from = builder.CreateSelect(ordered, from, zero);
    } else {
      require(ordered);
    }
    // How many threads away the answer changes, if it does; one more if the limit is on their side.
    Value* const has_it = builder.CreateICmp(predicate, from, limit);
    const bool one_more = llvm::ICmpInst::isLE(predicate) || llvm::ICmpInst::isGT(predicate);
    Value* const most = builder.CreateZExt(one_more ? last_x : size, from->getType());
    Value* until = choose(llvm::Intrinsic::umin, builder.CreateSub(limit, from), most);
    until = builder.CreateTrunc(until, builder.getInt32Ty());
    if (one_more) until = builder.CreateAdd(until, one);
    if (llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate)) {
      begin = choose(llvm::Intrinsic::umax, begin, start);
      until = builder.CreateAdd(start, builder.CreateSelect(has_it, until, none));
      end = choose(llvm::Intrinsic::umin, end, until);
    } else {
      begin = choose(llvm::Intrinsic::umax, begin, builder.CreateSelect(has_it, none, until));
    }
  }
  end = choose(llvm::Intrinsic::umax, begin, end);
  Value* const is_anybody = builder.CreateAnd(is_told, holds);
  return {builder.CreateSelect(is_anybody, begin, none),
          builder.CreateSelect(is_anybody, end, none), is_told};
}

}  // namespace treadle::cuda_cpu
