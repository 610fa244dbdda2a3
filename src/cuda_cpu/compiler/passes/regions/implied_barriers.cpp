// SPDX-License-Identifier: MIT
// Implied barriers: places where threads should wait for each other that the source does not name.
// Those of lockstep are found elsewhere (lockstep.cpp).
//
// Scheduling barriers. A barrier at the head of an inner loop interchanges it with the loop over
// threads: all threads run one iteration before the next, and neighbouring threads' loads become
// vectors. In a loop with volatile loads it also lets the threads run that the loop waits for.
//
//   loop:                                   loop:
//     %i = phi i32 ...                =>      %i = phi i32 ...
//     %v = load float, ptr %p.thread          call void @__treadle_barrier(i32 0)
//                                             %v = load float, ptr %p.thread
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/speed/loop_interchange.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

// A loop body larger than this amortises its own overhead; per iteration it would move too many
// values to memory and back.
constexpr unsigned largest_scheduled_loop = 400;

/// Gains from the interchange: a load that waits, or one whose address varies between threads.
bool gains_from_steps(const llvm::Instruction& instruction, const Uniformity& uniformity,
                      Interchange interchange) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || load->isVolatile()) return load != nullptr;
  return interchange == Interchange::on && uniformity.varies(load->getPointerOperand());
}

}  // namespace

void call_barrier(llvm::Instruction* before, BarrierKind kind) {
  llvm::Module& module = *before->getModule();
  llvm::IRBuilder<> builder(before);
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false);
  llvm::FunctionCallee barrier = module.getOrInsertFunction("__treadle_barrier", type);
  builder.CreateCall(barrier, {builder.getInt32(static_cast<unsigned>(kind))})
      ->addFnAttr(llvm::Attribute::Convergent);
}

bool hands_over_in_loops(const KernelBody& body) {
  return llvm::any_of(llvm::instructions(*body.function), [&](const llvm::Instruction& found) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&found);
    return store && store->isVolatile() &&
           llvm::getUnderlyingObject(store->getPointerOperand(), 0) == body.shared();
  });
}

bool runs_in_steps(const llvm::Loop& loop, const Uniformity& uniformity, Interchange interchange) {
  if (const auto decided = interchange_mark(loop)) return *decided;
  if (!loop.isInnermost() || !loop.getLoopLatch()) return false;
  bool gains = false;
  unsigned size = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      if (marker_of(instruction) == Marker::barrier) return false;
      gains |= gains_from_steps(instruction, uniformity, interchange);
      if (++size > largest_scheduled_loop) return false;
    }
  return gains;
}

void add_scheduling_barriers(const KernelBody& body, const Uniformity& uniformity,
                             Interchange interchange) {
  llvm::DominatorTree dominators(*body.function);
  llvm::LoopInfo loops(dominators);
  llvm::SmallVector<llvm::BasicBlock*, 8> headers;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (runs_in_steps(*loop, uniformity, interchange)) headers.push_back(loop->getHeader());
  for (llvm::BasicBlock* header : headers)
    call_barrier(&*header->getFirstInsertionPt(), BarrierKind::scheduling);
}

}  // namespace treadle::cuda_cpu
