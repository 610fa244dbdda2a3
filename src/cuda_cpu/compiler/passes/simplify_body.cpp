// SPDX-License-Identifier: MIT
// Pass 7b, simplify: what is still redundant when a body is split costs a slot in memory, so LLVM
// simplifies the body first. Inner loops of constant trip count are unrolled more eagerly than
// LLVM would: a loop left standing is cut into steps later (implied_barriers), which moves its
// values through memory at every step. A loop with barriers is unrolled only if it is short and all
// threads work in each of its steps: every copy of a barrier is a region to compile, though one
// that knows the loop's counter and where its threads go next.
//
//   for (k = 0; k < 32; ++k) acc += a[y][k] * b[k][x];                 =>  32 multiply-adds in a
//   row for (d = 1; d < 256; d *= 2) { s[..][t] = ..; barrier; }           =>  8 regions in a row
//   for (d = 128; d > 0; d /= 2) { if (t < d) s[t] = ..; barrier; }    =>  as it is
#include "cuda_cpu/compiler/passes/simplify_body.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "cuda_cpu/compiler/passes/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned largest_unrolled = 800;  // instructions, all copies together
// Of a whole kernel: what it may cost to compile, and far from max_regions.
constexpr unsigned most_unrolled_barriers = 16;

unsigned barrier_count(const llvm::Loop& loop) {
  unsigned count = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block)
      count += marker_of(instruction) == Marker::barrier;
  return count;
}

unsigned instruction_count(const llvm::Loop& loop) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->sizeWithoutDebug();
  return static_cast<unsigned>(count);
}

bool is_block_barrier(const llvm::Instruction& instruction) {
  if (marker_of(instruction) != Marker::barrier) return false;
  const auto* kind =
      llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(instruction).getArgOperand(0));
  return kind && kind->equalsInt(static_cast<unsigned>(BarrierKind::block));
}

/// Whether every thread that takes part in a step of the loop writes, and meets the whole block.
bool all_threads_work(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  bool write = false, meet = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    if (!loop.getLoopLatch() || !dominators.dominates(block, loop.getLoopLatch())) continue;
    for (const llvm::Instruction& instruction : *block) {
      write |= llvm::isa<llvm::StoreInst>(instruction);
      meet |= is_block_barrier(instruction);
    }
  }
  return write && meet;
}

bool user_decides(const llvm::Loop& loop) {
  return llvm::hasUnrollTransformation(&loop) != llvm::TM_Unspecified;
}

/// Leaves notes on the loops for LLVM's unroller, which is part of the simplification.
class MarkLoops : public llvm::PassInfoMixin<MarkLoops> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (user_decides(*loop)) continue;
      const unsigned trips = evolution.getSmallConstantMaxTripCount(loop);
      const unsigned barriers = barrier_count(*loop);
      if (barriers > 0 &&
          !(all_threads_work(*loop, dominators) && take_barriers(*loop, trips * barriers)))
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
      else if (trips > 0 && trips <= largest_unrolled &&
               trips * instruction_count(*loop) <= largest_unrolled)
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    }
    return llvm::PreservedAnalyses::all();
  }

 private:
  /// Only innermost loops: what they make of a loop around them is not known yet.
  bool take_barriers(const llvm::Loop& loop, unsigned count) {
    if (!loop.isInnermost() || count == 0 || count > barriers_left_) return false;
    barriers_left_ -= count;
    return true;
  }

  unsigned barriers_left_ = most_unrolled_barriers;
};

}  // namespace

void simplify_body(const KernelBody& body, PassRunner& runner) {
  llvm::FunctionPassManager passes;
  passes.addPass(MarkLoops());
  passes.addPass(runner.builder().buildFunctionSimplificationPipeline(
      llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None));
  runner.run(passes, *body.function);
}

}  // namespace treadle::cuda_cpu
