// SPDX-License-Identifier: MIT
// Which kernels a program's own thread may run. A thread inside a block cannot be taken out of it
// and the block go on elsewhere, so a wait that Ctrl-C shall be able to end runs only kernels whose
// blocks are over soon: whatever they are given, or since they were with the same arguments.
//
//   if (i < n) y[i] = a * x[i];                       =>  over soon
//   for (k = 0; k < 16; ++k) s += a[y][k] * b[k][x];   =>  over soon
//   for (k = i; k < n; k += step) s += a[k];           =>  the arguments tell
//   if (atomicAdd(&done, 1) == n) for (k < n) ...      =>  the arguments tell: one block does it
//   for (k = 0; k < length[i]; ++k) s += a[k];         =>  may take any time
//   if (a[i]) for (k = 0; k < n; ++k) s += a[k];       =>  may take any time
//   while (atomicCAS(lock, 0, 1) != 0);                =>  may take any time
#include "cuda_cpu/compiler/passes/analysis/running_time.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint64_t few_steps = 1u << 12;  // of all loops around one place
constexpr std::size_t most_blocks = 300;       // of a kernel: each is held against each

/// Functions that are not inlined call themselves or each other, or are called through pointers.
bool calls_code_of_the_program(const llvm::Function& body) {
  for (const llvm::Instruction& instruction : llvm::instructions(body)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->isInlineAsm()) continue;
    const llvm::Function* called = call->getCalledFunction();
    if (called == nullptr || !called->isDeclaration()) return true;
  }
  return false;
}

/// Steps of the innermost place in a nest; 0 if nothing says.
std::uint64_t most_steps(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  std::uint64_t steps = 1;
  for (const llvm::Loop* around = &loop; around != nullptr; around = around->getParentLoop()) {
    steps *= evolution.getSmallConstantMaxTripCount(around);
    if (steps > few_steps) return 0;
  }
  return steps;
}

/// Whether numbers among the arguments, indices and the steps of loops around a place say what a
/// value is there. For one place, or for few.
class Told {
 public:
  explicit Told(llvm::ScalarEvolution& evolution) : evolution_(evolution) {}

  /// `scope`: the loop around the place, or null if there is none.
  bool value(llvm::Value* value, const llvm::Loop* scope, unsigned depth = 0) {
    if (llvm::isa<llvm::Constant>(value)) return true;
    if (llvm::isa<llvm::Argument>(value)) return !value->getType()->isPointerTy();
    // Not told until it is: so each is asked once.
    const auto [answer, is_new] = told_.try_emplace({value, scope}, false);
    if (!is_new || depth == deepest) return answer->second;
    const bool is_told = by_steps(value, scope, depth) || by_operands(value, scope, depth);
    return told_[{value, scope}] = is_told;
  }

 private:
  static constexpr unsigned deepest = 32;

  bool by_steps(llvm::Value* value, const llvm::Loop* scope, unsigned depth) {
    return evolution_.isSCEVable(value->getType()) &&
           !llvm::SCEVExprContains(
               evolution_.getSCEVAtScope(value, scope),
               [&](const llvm::SCEV* part) { return !this->part(part, scope, depth); });
  }
  bool by_operands(llvm::Value* value, const llvm::Loop* scope, unsigned depth) {
    const bool computed =
        llvm::isa<llvm::CmpInst, llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst>(value);
    return computed &&
           llvm::all_of(llvm::cast<llvm::User>(value)->operands(), [&](const llvm::Use& operand) {
             return this->value(operand.get(), scope, depth + 1);
           });
  }
  bool part(const llvm::SCEV* part, const llvm::Loop* scope, unsigned depth) {
    if (const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part))
      return steps->getLoop()->contains(scope) || end_of(*steps->getLoop(), depth);
    const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
    if (unknown == nullptr) return true;
    llvm::Value* value = unknown->getValue();
    return llvm::isa<llvm::Argument>(value) ? value->getType()->isIntegerTy()
                                            : by_operands(value, scope, depth + 1);
  }
  /// Behind its loop a counter is where the loop was left, which data may decide.
  bool end_of(const llvm::Loop& loop, unsigned depth) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getExitingBlocks(exits);
    return llvm::all_of(exits, [&](const llvm::BasicBlock* block) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      return branch && value(branch->getCondition(), &loop, depth + 1);
    });
  }

  llvm::ScalarEvolution& evolution_;
  llvm::DenseMap<std::pair<const llvm::Value*, const llvm::Loop*>, bool> told_;
};

/// Whether `branch` chooses one of the blocks, which count themselves up to a number that the
/// launch gives: one in every launch. A constant number may stand for the first launch of all.
bool takes_a_ticket(const llvm::BranchInst& branch, const llvm::Loop* around, Told& told) {
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  if (!compared || !compared->isEquality() || around != nullptr) return false;
  for (const unsigned side : {0u, 1u})
    if (const auto* ticket = llvm::dyn_cast<llvm::AtomicRMWInst>(compared->getOperand(side)))
      return ticket->getOperation() == llvm::AtomicRMWInst::Add &&
             !llvm::isa<llvm::Constant>(compared->getOperand(1 - side)) &&
             llvm::isa<llvm::Constant>(ticket->getValOperand()) &&
             told.value(compared->getOperand(1 - side), nullptr);
  return false;
}

/// Whether that holds for all branches that decide if, or how often, one of `places` is reached.
bool all_ways_told(llvm::Function& body, llvm::SmallVector<llvm::BasicBlock*, 8> places,
                   const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
  Told told(evolution);
  const llvm::PostDominatorTree behind(body);
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  const auto decides = [&](const llvm::BasicBlock& branch, const llvm::BasicBlock* place) {
    if (behind.properlyDominates(place, &branch)) return false;
    return llvm::any_of(llvm::successors(&branch), [&](const llvm::BasicBlock* next) {
      return behind.dominates(place, next);
    });
  };
  while (!places.empty()) {
    const llvm::BasicBlock* place = places.pop_back_val();
    for (llvm::BasicBlock& block : body) {
      if (llvm::succ_size(&block) < 2 || !decides(block, place)) continue;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      const llvm::Loop* around = loops.getLoopFor(&block);
      if (!branch ||
          !(told.value(branch->getCondition(), around) || takes_a_ticket(*branch, around, told)))
        return false;
      if (seen.insert(&block).second) places.push_back(&block);
    }
  }
  return true;
}

}  // namespace

RunningTime running_time(llvm::Function& body, PassRunner& runner) {
  if (calls_code_of_the_program(body)) return RunningTime::any;
  llvm::FunctionAnalysisManager& analyses = runner.fresh_analyses();
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(body);
  using Order = llvm::ReversePostOrderTraversal<const llvm::Function*>;
  Order order(&body);
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops)) return RunningTime::any;
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(body);
  llvm::SmallVector<llvm::BasicBlock*, 8> heads;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (most_steps(*loop, evolution) == 0) heads.push_back(loop->getHeader());
  if (heads.empty()) return RunningTime::over_soon;
  return body.size() <= most_blocks && all_ways_told(body, heads, loops, evolution)
             ? RunningTime::by_arguments
             : RunningTime::any;
}

}  // namespace treadle::cuda_cpu
