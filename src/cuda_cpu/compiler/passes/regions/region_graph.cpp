// SPDX-License-Identifier: MIT
// Splitting: every barrier ends a region and starts another. Region 0 starts the kernel,
// region r follows barrier r, in the order of the code. Regions may share blocks (a loop with a
// barrier inside is reached from before it and from its own end); each gets its own copy later.
//
//   entry:                                      entry:                 ; region 0
//     %a = ...                                    %a = ...
//     call void @__treadle_barrier(i32 1)   =>    br label %after.1    ; region 0 ends
//     %b = ...                                  after.1:               ; region 1
//     ret void                                    %b = ...
//                                                 ret void             ; leaves to region_exited
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

RegionGraph::RegionGraph(const KernelBody& body, const std::string& kernel_name) {
  llvm::SmallVector<llvm::CallBase*, 16> barriers;
  for (llvm::Instruction& instruction : llvm::instructions(*body.function))
    if (marker_of(instruction) == Marker::barrier)
      barriers.push_back(llvm::cast<llvm::CallBase>(&instruction));
  if (barriers.size() >= max_regions)
    throw BackendError("error: kernel '" + kernel_name + "' has " +
                       std::to_string(barriers.size()) +
                       " barriers and warp operations after unrolling; the CPU device takes " +
                       std::to_string(max_regions - 1));
  regions_.push_back({&body.function->getEntryBlock(), BarrierKind::block, {}});
  for (llvm::CallBase* barrier : barriers) split(*barrier);
  for (Region& region : regions_) collect_blocks(region);
}

void RegionGraph::split(llvm::CallBase& barrier) {
  const auto* kind = llvm::dyn_cast<llvm::ConstantInt>(barrier.getArgOperand(0));
  if (!kind) throw BackendError("error: the kind of a barrier is not a constant");
  llvm::BasicBlock* before = barrier.getParent();
  llvm::BasicBlock* behind =
      before->splitBasicBlock(barrier.getNextNode(), "after." + llvm::Twine(regions_.size()));
  barrier.eraseFromParent();
  after_[before] = static_cast<unsigned>(regions_.size());
  regions_.push_back({behind, static_cast<BarrierKind>(kind->getZExtValue()), {}});
}

llvm::SmallVector<llvm::BasicBlock*, 2> RegionGraph::successors(llvm::BasicBlock* block) const {
  if (region_after(block) != 0) return {};
  return {llvm::succ_begin(block), llvm::succ_end(block)};
}

int RegionGraph::exit_of(const llvm::BasicBlock* block) const {
  if (const unsigned next = region_after(block)) return static_cast<int>(next);
  return llvm::isa<llvm::ReturnInst>(block->getTerminator()) ? int{region_exited} : -1;
}

const llvm::LoopInfo& RegionGraph::loops() const {
  if (!loops_) {
    const llvm::DominatorTree dominators(*regions_.front().start->getParent());
    loops_ = std::make_unique<llvm::LoopInfo>(dominators);
  }
  return *loops_;
}

void RegionGraph::collect_blocks(Region& region) const {
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen{region.start};
  region.blocks.push_back(region.start);
  for (std::size_t i = 0; i < region.blocks.size(); ++i)
    for (llvm::BasicBlock* next : successors(region.blocks[i]))
      if (seen.insert(next).second) region.blocks.push_back(next);
}

}  // namespace treadle::cuda_cpu
