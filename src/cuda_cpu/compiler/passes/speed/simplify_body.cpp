// SPDX-License-Identifier: MIT
// Simplify: what is still redundant when a body is split costs a slot in memory, so LLVM simplifies
// the body first. Inner loops of constant trip count are unrolled more eagerly than LLVM would: a
// loop that stays is interchanged later (implied_barriers), which moves its values through memory
// at every iteration. A loop with barriers is unrolled only if it is short and all threads work in
// each of its iterations: every copy of a barrier is a region to compile, though one in which the
// loop's counter and the next region are constants. `#pragma unroll` around shuffles is set aside
// where it would gain no more than that.
//
//   for (k = 0; k < 32; ++k) acc += a[y][k] * b[k][x];                 =>  32 multiply-adds
//   for (d = 1; d < 256; d *= 2) { s[..][t] = ..; barrier; }           =>  8 regions in a row
//   for (d = 128; d > 0; d /= 2) { if (t < d) s[t] = ..; barrier; }    =>  as it is
#include "cuda_cpu/compiler/passes/speed/simplify_body.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned largest_unrolled = 800;  // instructions, all copies together
// The same where loops inside are unrolled too: three of 40 iterations make 64 000 of one
// instruction.
constexpr std::uint64_t largest_unrolled_nest = 4096;
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

/// Whether every thread that runs an iteration of the loop stores, and reaches a block barrier.
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

/// Whether the loop is as the user wants it. Copies of a loop around barriers are regions that
/// differ in constants; they gain only where the counter chooses among a thread's own variables.
bool user_decides(const llvm::Loop& loop, unsigned barriers) {
  if (llvm::hasUnrollTransformation(&loop) == llvm::TM_Unspecified) return false;
  if (barriers == 0 || !loop.isInnermost()) return true;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, 0)))
        return true;
    }
  return false;
}

/// Leaves notes on the loops for LLVM's unroller, which is part of the simplification.
class MarkLoops : public llvm::PassInfoMixin<MarkLoops> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    const auto in_order = loops.getLoopsInPreorder();
    for (llvm::Loop* loop : in_order) {
      const unsigned barriers = barrier_count(*loop);
      if (barriers == 0 || user_decides(*loop, barriers)) continue;
      const unsigned trips = evolution.getSmallConstantMaxTripCount(loop);
      if (all_threads_work(*loop, dominators) && take_barriers(*loop, trips * barriers)) continue;
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    }
    for (llvm::Loop* loop : llvm::reverse(in_order))  // what is inside comes first
      if (take_copies(*loop, evolution.getSmallConstantMaxTripCount(loop)))
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    return llvm::PreservedAnalyses::all();
  }

 private:
  /// Whether the loop becomes `trips` copies of its body. Notes how large it will be.
  bool take_copies(const llvm::Loop& loop, unsigned trips) {
    const unsigned written = instruction_count(loop);
    std::uint64_t grown = written;
    for (const llvm::Loop* inner : loop) grown += sizes_[inner] - instruction_count(*inner);
    const bool small = !user_decides(loop, 0) && trips > 0 && trips <= largest_unrolled &&
                       trips * written <= largest_unrolled &&
                       trips * grown <= largest_unrolled_nest;
    sizes_[&loop] = small ? trips * grown : grown;
    return small;
  }

  /// Only innermost loops: what they make of a loop around them is not known yet.
  bool take_barriers(const llvm::Loop& loop, unsigned count) {
    if (!loop.isInnermost() || count == 0 || count > barriers_left_) return false;
    barriers_left_ -= count;
    return true;
  }

  unsigned barriers_left_ = most_unrolled_barriers;
  llvm::DenseMap<const llvm::Loop*, std::uint64_t> sizes_;  // once all inside is unrolled
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
