// SPDX-License-Identifier: MIT
// Strip-mining: an interchanged loop (loop_interchange) loads its values from the frames and stores
// them back at each iteration, which costs more than a short body does. A strip of four iterations,
// unrolled, does so once; a thread may leave the loop behind each of them.
//
//   loop:  %i = phi ...                       loop:  %i = phi ...
//     %s = fadd %a, load (%p + %i)              %s = fadd %a, load (%p + %i)
//     br (%i + %d < %n), %loop, %end     =>     br (%i + %d < %n), %loop.1, %end
//                                             loop.1:
//                                               %s.1 = fadd %s, load (%p + %i + %d) ...
#include "cuda_cpu/compiler/passes/speed/strip_mining.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned strip_length = 4;  // iterations
// Of one iteration: beyond that its own work outweighs the frames.
constexpr unsigned largest_body = 40;

/// A volatile load or an atomic waits for another thread, which runs between two iterations.
bool may_wait(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block)
      if (instruction.isVolatile() || instruction.isAtomic()) return true;
  return false;
}

bool should_strip_mine(const llvm::Loop& loop, const Uniformity& uniformity,
                       Interchange interchange) {
  std::size_t size = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) size += block->sizeWithoutDebug();
  return size <= largest_body && runs_in_steps(loop, uniformity, interchange) && !may_wait(loop) &&
         llvm::hasUnrollTransformation(&loop) == llvm::TM_Unspecified;
}

class StripMining : public llvm::PassInfoMixin<StripMining> {
 public:
  StripMining(const Uniformity& uniformity, Interchange interchange)
      : uniformity_(uniformity), interchange_(interchange) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
    auto& machine = analyses.getResult<llvm::TargetIRAnalysis>(function);
    llvm::OptimizationRemarkEmitter remarks(&function);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (!should_strip_mine(*loop, uniformity_, interchange_)) continue;
      llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, true);
      llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
      llvm::UnrollLoopOptions options{};
      options.Count = strip_length;
      llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions, &machine,
                       &remarks, /*PreserveLCSSA=*/true);
    }
    return llvm::PreservedAnalyses::none();
  }

 private:
  const Uniformity& uniformity_;
  const Interchange interchange_;
};

}  // namespace

void strip_mining(const KernelBody& body, PassRunner& runner, Interchange interchange) {
  const Uniformity uniformity(body);
  llvm::FunctionPassManager passes;
  passes.addPass(StripMining(uniformity, interchange));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  runner.run(passes, *body.function);
}

}  // namespace treadle::cuda_cpu
