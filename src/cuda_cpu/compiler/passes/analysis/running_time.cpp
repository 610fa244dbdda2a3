// SPDX-License-Identifier: MIT
// Which kernels a program's own thread may run. A thread inside a block cannot be taken out of it
// and the block go on elsewhere, so a wait that Ctrl-C shall be able to end runs only kernels whose
// blocks are over soon: whatever they are given, or since they were with the same arguments.
//
//   if (i < n) y[i] = a * x[i];                       =>  over soon
//   for (k = 0; k < 16; ++k) s += a[y][k] * b[k][x];   =>  over soon
//   for (k = i; k < n; k += step) s += a[k];           =>  the arguments tell
//   for (k = 0; k < length[i]; ++k) s += a[k];         =>  may take any time
//   if (a[i]) for (k = 0; k < n; ++k) s += a[k];       =>  may take any time
//   while (atomicCAS(lock, 0, 1) != 0);                =>  may take any time
#include "cuda_cpu/compiler/passes/analysis/running_time.hpp"

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
constexpr unsigned deepest_condition = 8;

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

/// What a part of an expression holds for code inside `scope`, a loop or null for none.
bool part_is_told(const llvm::SCEV* part, const llvm::Loop* scope) {
  // Behind its loop a counter is where the loop was left, which may be anywhere.
  if (const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part))
    return steps->getLoop()->contains(scope);
  const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
  return !unknown ||
         (llvm::isa<llvm::Argument>(unknown->getValue()) && unknown->getType()->isIntegerTy());
}

/// Whether numbers among the arguments, indices and the steps of loops around `scope` say what
/// `value` is there.
bool told_by_arguments(llvm::Value* value, const llvm::Loop* scope,
                       llvm::ScalarEvolution& evolution, unsigned depth = 0) {
  if (llvm::isa<llvm::Constant>(value)) return true;
  if (llvm::isa<llvm::Argument>(value)) return !value->getType()->isPointerTy();
  if (evolution.isSCEVable(value->getType()) &&
      !llvm::SCEVExprContains(evolution.getSCEVAtScope(value, scope),
                              [&](const llvm::SCEV* part) { return !part_is_told(part, scope); }))
    return true;
  const bool computed =
      llvm::isa<llvm::CmpInst, llvm::BinaryOperator, llvm::CastInst, llvm::SelectInst>(value);
  return computed && depth < deepest_condition &&
         llvm::all_of(
             llvm::cast<llvm::User>(value)->operands(),
             [&](const llvm::Use& operand) {
               return told_by_arguments(operand.get(), scope, evolution, depth + 1);
             });
}

/// Whether that holds for all branches that decide if, or how often, one of `places` is reached.
bool all_ways_told(llvm::Function& body, llvm::SmallVector<llvm::BasicBlock*, 8> places,
                   const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
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
      if (!branch || !told_by_arguments(branch->getCondition(), around, evolution)) return false;
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
