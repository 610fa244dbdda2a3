// SPDX-License-Identifier: MIT
// Within pass 8, staying steps: of a loop `for (i = thread; i < n; i += step)`, cut into steps, all
// steps but the last are run by all threads to their ends. Asked of each thread that costs a mask
// for each vector. Whether an index that counts from thread to thread is below a limit, the row's
// ends tell for all between them; if they stay, a copy of the step without the questions runs.
//
//   %s = fadd %a, load (%p + %i)                    if %i + %d < %n at both ends of all rows:
//   br (%i + %d < %n), %more, %end          =>        %s = fadd %a, load (%p + %i)
//   more: %s.1 = fadd %s, load (%p + %i + %d)         %s.1 = fadd %s, load (%p + %i + %d)
#include "cuda_cpu/compiler/passes/staying_steps.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cuda_cpu/compiler/passes/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/region_function.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

/// How values of a region differ between the threads of a row whose indices count.
class Row {
 public:
  Row(const KernelBody& body, const RegionFunction& region) {
    const auto parameters = static_cast<unsigned>(body.function->arg_size());
    const auto count = static_cast<unsigned>(region.function->arg_size());
    for (const llvm::Argument& argument : region.function->args()) kinds_[&argument] = Kind::same;
    const auto set = [&](unsigned parameter, Kind kind) {
      kinds_[region.function->getArg(parameter)] = kind;
    };
    set(body.user_parameters, Kind::counts);
    set(body.user_parameters + 1, Kind::other);
    set(body.user_parameters + 2, Kind::other);
    set(parameters, Kind::counts);
    for (auto i = static_cast<unsigned>(region.indices.size()); i > 0; --i)
      set(count - i, Kind::counts);
  }

  bool same(const Value* value) { return kind(value) == Kind::same; }
  bool counts(const Value* value) { return kind(value) == Kind::counts; }

 private:
  /// The same for all; one more from thread to thread, modulo 2^bits; anything.
  enum class Kind { same, counts, other };

  Kind kind(const Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return Kind::same;
    const auto [found, is_new] = kinds_.try_emplace(value, Kind::other);
    if (!is_new) return found->second;
    const Kind result = compute(llvm::cast<llvm::Instruction>(*value));
    return kinds_[value] = result;
  }

  /// What is the same is computed again where nobody asked for it: nothing that may trap.
  Kind compute(const llvm::Instruction& value) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value))
      return phi->hasConstantValue() ? kind(phi->hasConstantValue()) : Kind::other;
    if (!value.getType()->isIntegerTy()) return Kind::other;
    if (llvm::isa<llvm::CastInst>(value))
      return value.getOperand(0)->getType()->isIntegerTy() ? kind(value.getOperand(0))
                                                           : Kind::other;
    if (!value.isBinaryOp() || value.isIntDivRem()) return Kind::other;
    const Kind left = kind(value.getOperand(0)), right = kind(value.getOperand(1));
    if (left == Kind::same && right == Kind::same) return Kind::same;
    if (value.getOpcode() == llvm::Instruction::Add && left == Kind::same) return right;
    const bool sum =
        value.getOpcode() == llvm::Instruction::Add || value.getOpcode() == llvm::Instruction::Sub;
    return sum && right == Kind::same ? left : Kind::other;
  }

  llvm::DenseMap<const Value*, Kind> kinds_;
};

/// From where a thread can come to the end of a region that sends it to the same region again.
class WaysBack {
 public:
  WaysBack(const llvm::Function& region, unsigned number) : number_(number) {
    llvm::SmallVector<const llvm::BasicBlock*, 8> open;
    const auto add = [&](const llvm::BasicBlock* block) {
      if (blocks_.insert(block).second) open.push_back(block);
    };
    for (const llvm::BasicBlock& block : region)
      for (const llvm::BasicBlock* before : llvm::predecessors(&block))
        if (ends(block) && leads_back(*before, block)) add(before);
    while (!open.empty())
      for (const llvm::BasicBlock* before : llvm::predecessors(open.pop_back_val())) add(before);
  }

  bool lead_from(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
    return ends(to) ? leads_back(from, to) : blocks_.contains(&to);
  }

 private:
  static bool ends(const llvm::BasicBlock& block) {
    return llvm::isa<llvm::ReturnInst>(block.getTerminator());
  }
  /// `end` returns where the thread goes next.
  bool leads_back(const llvm::BasicBlock& from, const llvm::BasicBlock& end) const {
    const Value* next = llvm::cast<llvm::ReturnInst>(end.getTerminator())->getReturnValue();
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(next); phi && phi->getParent() == &end)
      next = phi->getIncomingValueForBlock(&from);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(next);
    return !constant || constant->getZExtValue() == number_;
  }

  const unsigned number_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> blocks_;
};

/// The comparisons which must all give `answer` for `condition` to give it.
llvm::SmallVector<const llvm::ICmpInst*, 2> all_needed(const Value* condition, bool answer) {
  using llvm::PatternMatch::match, llvm::PatternMatch::m_Value;
  llvm::SmallVector<const llvm::ICmpInst*, 2> found;
  llvm::SmallVector<const Value*, 4> open{condition};
  while (!open.empty()) {
    const Value* value = open.pop_back_val();
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

/// What `value` is for one thread of the row.
class Again {
 public:
  Again(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> arguments)
      : builder_(builder), arguments_(arguments) {}

  Value* compute(Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return value;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
      return arguments_[argument->getArgNo()];
    if (Value* done = done_.lookup(value)) return done;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      return done_[value] = compute(phi->hasConstantValue());
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    // Nobody may have asked: a thread that leaves early never comes to the later conditions.
    copy->dropPoisonGeneratingFlags();
    for (llvm::Use& operand : copy->operands()) operand.set(compute(operand.get()));
    builder_.Insert(copy);
    return done_[value] = copy;
  }

 private:
  llvm::IRBuilder<>& builder_;
  llvm::ArrayRef<Value*> arguments_;
  llvm::DenseMap<Value*, Value*> done_;
};

}  // namespace

StayingStep::StayingStep(const KernelBody& body, const RegionFunction& region, unsigned number) {
  Row row(body, region);
  const WaysBack back(*region.function, number);
  for (const llvm::BasicBlock& block : *region.function) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) continue;
    const bool stays = back.lead_from(block, *branch->getSuccessor(0));
    if (stays == back.lead_from(block, *branch->getSuccessor(1))) continue;
    for (const llvm::ICmpInst* compare : all_needed(branch->getCondition(), stays)) {
      const unsigned counted = row.counts(compare->getOperand(0)) ? 0 : 1;
      // Several branches may ask the same, and must not be told twice.
      const bool is_new = llvm::none_of(
          conditions_, [&](const Condition& condition) { return condition.compare == compare; });
      if (is_new && row.counts(compare->getOperand(counted)) &&
          row.same(compare->getOperand(1 - counted)))
        conditions_.push_back({compare, counted, stays});
    }
  }
  if (conditions_.empty()) return;
  llvm::ValueToValueMapTy copies;
  copy_ = llvm::CloneFunction(region.function, copies);
  for (const Condition& condition : conditions_)
    copies[condition.compare]->replaceAllUsesWith(
        llvm::ConstantInt::getBool(copy_->getContext(), condition.stays));
  if (region.indices.size() != 1 || !region.next_indices[0] || !row.counts(region.next_indices[0]))
    return;
  index_ = region.function->getArg(static_cast<unsigned>(region.function->arg_size()) - 1);
  next_index_ = region.next_indices[0];
}

Value* StayingStep::holds(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> first,
                          llvm::ArrayRef<Value*> last, Value* last_x) const {
  Again of_first(builder, first), of_last(builder, last);
  Value* all = builder.getTrue();
  for (const Condition& condition : conditions_) {
    const llvm::ICmpInst& compare = *condition.compare;
    Value* begin = of_first.compute(compare.getOperand(condition.counted));
    Value* end = of_last.compute(compare.getOperand(condition.counted));
    Value* limit = of_first.compute(compare.getOperand(1 - condition.counted));
    for (Value* value : {begin, end}) {
      Value* answer = condition.counted == 0
                          ? builder.CreateICmp(compare.getPredicate(), value, limit)
                          : builder.CreateICmp(compare.getPredicate(), limit, value);
      all = builder.CreateAnd(all, condition.stays ? answer : builder.CreateNot(answer));
    }
    // Between two ends that are as far apart as they should be, and in order, nothing wraps.
    Value* distance = builder.CreateZExt(last_x, begin->getType());
    all = builder.CreateAnd(all, builder.CreateICmpEQ(builder.CreateSub(end, begin), distance));
    all = builder.CreateAnd(all, compare.isSigned() ? builder.CreateICmpSLE(begin, end)
                                                    : builder.CreateICmpULE(begin, end));
  }
  // A shift of what nobody asked for may be poison.
  return builder.CreateFreeze(all);
}

Value* StayingStep::index_distance(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> first) const {
  if (!next_index_) return nullptr;
  Again again(builder, first);
  return builder.CreateSub(again.compute(next_index_), again.compute(index_));
}

}  // namespace treadle::cuda_cpu
