// SPDX-License-Identifier: MIT
// Pass 7b, simplify: what is still redundant when a body is split costs a slot in memory, so LLVM
// simplifies the body first. Inner loops of constant trip count are unrolled more eagerly than
// LLVM would: a loop left standing is cut into steps later (implied_barriers), which moves its
// values through memory at every step. Loops with barriers stay: unrolled, each copy of a barrier
// would be a region of its own, to be compiled twice.
//
//   for (k = 0; k < 32; ++k) acc += a[y][k] * b[k][x];    =>    32 multiply-adds in a row
//   for (d = 16; d > 0; d /= 2) { ...; barrier; }         =>    as it is
#include "cuda_cpu/compiler/passes/simplify_body.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "cuda_cpu/compiler/passes/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned largest_unrolled = 800;  // instructions, all copies together

bool has_barrier(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block)
      if (marker_of(instruction) == Marker::barrier) return true;
  return false;
}

unsigned instruction_count(const llvm::Loop& loop) {
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->sizeWithoutDebug();
  return static_cast<unsigned>(count);
}

bool user_decides(const llvm::Loop& loop) {
  return llvm::hasUnrollTransformation(&loop) != llvm::TM_Unspecified;
}

/// Leaves notes on the loops for LLVM's unroller, which is part of the simplification.
struct MarkLoops : llvm::PassInfoMixin<MarkLoops> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (user_decides(*loop)) continue;
      const unsigned trips = evolution.getSmallConstantMaxTripCount(loop);
      if (has_barrier(*loop))
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
      else if (trips > 0 && trips <= largest_unrolled &&
               trips * instruction_count(*loop) <= largest_unrolled)
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    }
    return llvm::PreservedAnalyses::all();
  }
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
