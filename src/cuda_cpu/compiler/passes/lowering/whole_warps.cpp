// SPDX-License-Identifier: MIT
// Whole warps: `__activemask()` and the warp operations without a mask ask at run time who comes
// this way, and wait for those. Where no branch has parted the threads the answer is known: all of
// them.
//
//   %c = call i32 @__treadle_all_come()             2: all threads of the warp; 1: all but those
//   that
//                                             =>    have exited; 0: not known
//   %w = call i32 @__treadle_is_whole(i32 %m)       1: %m is ~0, or an answer 2 was its reason
//   %m = call i32 @__treadle_known_lanes(i32 %x)    %x
//
// Threads are parted at a place if one of them may pass a divergent branch and not come there. A
// way that leads to the end, and past no barrier, parts nobody from those that go on: a thread that
// has exited is waited for by none.
#include "cuda_cpu/compiler/passes/lowering/whole_warps.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using Blocks = llvm::SmallPtrSet<const BasicBlock*, 16>;

constexpr const char* is_whole = "__treadle_is_whole";
constexpr const char* known_lanes = "__treadle_known_lanes";

enum class Comes : std::uint8_t { not_known = 0, who_is_left = 1, everybody = 2 };

/// A kernel that is no KernelBody yet: memory differs, but for structures passed by value.
bool is_source_of_difference(const llvm::Value& value) {
  if (llvm::isa<llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value)) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
    const auto* source =
        llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand(), 0));
    return !source || !source->hasByValAttr() || !source->onlyReadsMemory();
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&value);
  const Marker marker = call ? marker_of(*call) : Marker::none;
  return call && marker != Marker::all_come &&
         (marker == Marker::thread_index || !call->doesNotAccessMemory());
}

class Convergence {
 public:
  explicit Convergence(llvm::Function& kernel) : ways_back_(kernel) {
    const Uniformity uniformity(kernel, is_source_of_difference);
    for (const BasicBlock& block : kernel)
      if (llvm::any_of(block, [](const llvm::Instruction& instruction) {
            const Marker marker = marker_of(instruction);
            return marker == Marker::barrier || marker == Marker::all_come;
          }))
        meeting_.insert(&block);
    for (const BasicBlock& block : kernel)
      if (uniformity.diverges_at_end_of(&block)) part_at(block);
  }

  Comes at(const BasicBlock& place) const {
    if (parted_.contains(&place)) return Comes::not_known;
    return left_.contains(&place) ? Comes::who_is_left : Comes::everybody;
  }

 private:
  void part_at(const BasicBlock& parting) {
    llvm::SmallVector<const BasicBlock*, 4> ways;
    for (const BasicBlock* way : llvm::successors(&parting))
      if (meets_before_end(*way)) ways.push_back(way);
    if (ways.size() < llvm::succ_size(&parting))
      for (const BasicBlock* way : ways) add_what_follows(*way, nullptr, left_);
    if (ways.size() < 2) return;
    const BasicBlock* together = ways.front();
    for (const BasicBlock* way : ways)
      if (together) together = ways_back_.findNearestCommonDominator(together, way);
    for (const BasicBlock* way : ways)
      if (way != together) add_what_follows(*way, together, parted_);
  }
  /// `first` and what is behind it, up to `end`.
  static void add_what_follows(const BasicBlock& first, const BasicBlock* end, Blocks& found) {
    Blocks seen{&first};
    llvm::SmallVector<const BasicBlock*, 16> left{&first};
    while (!left.empty())
      for (const BasicBlock* next : llvm::successors(left.pop_back_val()))
        if (next != end && seen.insert(next).second) left.push_back(next);
    found.insert(seen.begin(), seen.end());
  }
  bool meets_before_end(const BasicBlock& first) const {
    Blocks all;
    add_what_follows(first, nullptr, all);
    return llvm::any_of(all, [&](const BasicBlock* block) { return meeting_.contains(block); });
  }

  llvm::PostDominatorTree ways_back_;
  Blocks meeting_, parted_, left_;
};

void clean_up(llvm::Module& module, PassRunner& runner) {
  llvm::FunctionPassManager clean;
  clean.addPass(llvm::SimplifyCFGPass());
  clean.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  clean.addPass(llvm::EarlyCSEPass());
  clean.addPass(llvm::InstCombinePass());
  clean.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(clean)));
  runner.run(passes, module);
}

llvm::SmallVector<llvm::CallInst*, 8> questions(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (marker_of(instruction) == Marker::all_come)
      found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  return found;
}

void answer(llvm::CallInst& question, llvm::Value* value) {
  question.replaceAllUsesWith(value);
  question.eraseFromParent();
}

void answer_questions(llvm::Function& function, bool is_kernel) {
  const auto asked = questions(function);
  if (asked.empty()) return;
  llvm::SmallVector<Comes, 8> answers(asked.size(), Comes::not_known);
  if (is_kernel) {
    const Convergence convergence(function);
    for (unsigned i = 0; i < asked.size(); ++i) answers[i] = convergence.at(*asked[i]->getParent());
  }
  for (unsigned i = 0; i < asked.size(); ++i)
    answer(*asked[i],
           llvm::ConstantInt::get(asked[i]->getType(), static_cast<unsigned>(answers[i])));
}

bool is_call_of(const llvm::Value* value, const char* name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name;
}

template <class Answer>
bool answer_calls(llvm::Module& module, const char* name, Answer&& answer_to) {
  llvm::Function* asked = module.getFunction(name);
  if (!asked) return false;
  for (llvm::User* user : llvm::make_early_inc_range(asked->users()))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) answer(*call, answer_to(*call));
  asked->eraseFromParent();
  return true;
}

}  // namespace

void find_whole_warps(llvm::Module& module, const ModulePlan& plan, PassRunner& runner) {
  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  for (const KernelPlan& kernel : plan.kernels) kernels.insert(kernel.function);
  if (module.getFunction("__treadle_all_come")) {
    for (llvm::Function& function : module) answer_questions(function, kernels.contains(&function));
    clean_up(module, runner);
  }
  const bool asked = answer_calls(module, is_whole, [](llvm::CallInst& call) {
    const llvm::Value* mask = call.getArgOperand(0);
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(mask);
    const bool whole = (number && number->isMinusOne()) || is_call_of(mask, known_lanes);
    return llvm::ConstantInt::get(call.getType(), whole);
  });
  answer_calls(module, known_lanes, [](llvm::CallInst& call) { return call.getArgOperand(0); });
  if (asked) clean_up(module, runner);
}

}  // namespace treadle::cuda_cpu
