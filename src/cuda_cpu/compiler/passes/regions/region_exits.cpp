// SPDX-License-Identifier: MIT
// Analysis: where threads go from a region, and whether all of them to the same place. Threads that
// diverge at a branch may still leave the region alike: if every path from there leads through one
// block inside the region, they converge in it before it is decided where they go.
//
//   if (x[thread] > 0) a = 1; else a = 2;      divergent, but converges behind it:
//   if (n > 3) __syncthreads();                uniform exit
//
//   if (x[thread] > 0) __syncthreads();        divergent, one way meets a barrier: not uniform
//
// Threads that diverged run separately until they converge: at a barrier of the whole block, if it
// is the same one on every path there. An interchanged loop that each thread leaves in an iteration
// of its own:
//
//   region 1, the loop: to region 1 or 2       divergent: some are done and stand before region 2
//   __syncthreads();
//   region 2                                    all threads again
#include "cuda_cpu/compiler/passes/regions/region_exits.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>

#include <utility>

#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;

/// Which blocks lie on every way out, for each block of a region.
class MeetingPoints {
 public:
  MeetingPoints(const RegionGraph& graph, const RegionGraph::Region& region) : graph_(graph) {
    const auto count = static_cast<unsigned>(region.blocks.size());
    for (BasicBlock* block : region.blocks) index_[block] = static_cast<unsigned>(index_.size());
    // Grows down from "all", which is also right for a block that leads nowhere.
    passed_.assign(count, llvm::BitVector(count, true));
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = count; i-- > 0;) changed |= update(region.blocks[i], i);
    }
  }

  /// Whether all threads that diverge at the end of `block` converge in one block of the region.
  bool meet_after(BasicBlock* block) const { return behind(block).any(); }

 private:
  llvm::BitVector behind(BasicBlock* block) const {
    llvm::BitVector common(static_cast<unsigned>(passed_.size()), graph_.exit_of(block) < 0);
    for (const BasicBlock* next : graph_.successors(block))
      common &= passed_[index_.find(next)->second];
    return common;
  }

  bool update(BasicBlock* block, unsigned position) {
    llvm::BitVector passed = behind(block);
    passed.set(position);
    if (passed == passed_[position]) return false;
    passed_[position] = std::move(passed);
    return true;
  }

  const RegionGraph& graph_;
  llvm::DenseMap<const BasicBlock*, unsigned> index_;
  llvm::SmallVector<llvm::BitVector, 16> passed_;
};

llvm::SmallSet<int, 4> exits_from(const RegionGraph& graph, BasicBlock* block) {
  llvm::SmallSet<int, 4> exits;
  llvm::SmallPtrSet<BasicBlock*, 16> seen{block};
  llvm::SmallVector<BasicBlock*, 16> pending{block};
  while (!pending.empty()) {
    BasicBlock* at = pending.pop_back_val();
    if (const int exit = graph.exit_of(at); exit >= 0) exits.insert(exit);
    for (BasicBlock* next : graph.successors(at))
      if (seen.insert(next).second) pending.push_back(next);
  }
  return exits;
}

bool reaches_barrier(const RegionGraph& graph, BasicBlock* block) {
  return llvm::any_of(exits_from(graph, block), [](int exit) { return exit != region_exited; });
}

/// Whether threads that diverge at the end of `block` come to barriers both ways, be it the same
/// one: some of them have then come there in another iteration of a loop around it.
bool parts_for_barriers(const RegionGraph& graph, BasicBlock* block) {
  return llvm::count_if(graph.successors(block),
                        [&](BasicBlock* next) { return reaches_barrier(graph, next); }) > 1;
}

/// Whether threads that diverge at the end of `block` may run another iteration of a loop before
/// they come to a barrier inside that loop: `while (..) { if (mine) { barrier; } ++i; }`.
bool turns_before_barrier(const RegionGraph& graph, BasicBlock* block) {
  llvm::SmallPtrSet<BasicBlock*, 16> seen;
  llvm::SmallVector<BasicBlock*, 16> pending{block};
  while (!pending.empty())
    for (BasicBlock* next : graph.successors(pending.pop_back_val()))
      if (seen.insert(next).second) pending.push_back(next);
  if (!seen.contains(block)) return false;
  const auto has_barrier = [&](const llvm::Loop* loop) {
    return llvm::any_of(seen, [&](BasicBlock* reached) {
      return graph.region_after(reached) != 0 && loop->contains(reached);
    });
  };
  // Of a loop around the innermost, too: threads that leave that one early go on with the next
  // turn.
  for (const llvm::Loop* loop = graph.loops().getLoopFor(block); loop; loop = loop->getParentLoop())
    if (seen.contains(loop->getHeader()) && has_barrier(loop)) return true;
  return false;
}

/// Adds to `apart` the regions between the end of `from` and barriers of the whole block; returns
/// how many of those there are.
unsigned walk_to_block_barriers(const RegionGraph& graph, llvm::ArrayRef<RegionExits> exits,
                                unsigned from, llvm::BitVector& apart) {
  llvm::SmallSet<int, 4> met;
  llvm::BitVector seen(static_cast<unsigned>(exits.size()));
  llvm::SmallVector<unsigned, 8> pending{from};
  while (!pending.empty()) {
    for (int next : exits[pending.pop_back_val()].successors) {
      if (next == region_exited) continue;
      const auto region = static_cast<unsigned>(next);
      const BarrierKind barrier = graph.regions()[region].barrier;
      if (barrier == BarrierKind::block || barrier == BarrierKind::grid) {
        met.insert(next);
      } else if (!seen.test(region)) {
        seen.set(region);
        pending.push_back(region);
      }
    }
  }
  apart |= seen;
  return static_cast<unsigned>(met.size());
}

}  // namespace

int RegionExits::only_successor() const {
  if (successors.empty()) return region_exited;
  return successors.size() == 1 ? successors.front() : -1;
}

bool RegionExits::scatters() const {
  const auto barriers =
      llvm::count_if(successors, [](int successor) { return successor != region_exited; });
  return both_ways || (!uniform && barriers > 1);
}

RegionExits find_exits(const RegionGraph& graph, const Uniformity& uniformity, unsigned region) {
  const RegionGraph::Region& blocks = graph.regions()[region];
  RegionExits exits;
  for (int exit : exits_from(graph, blocks.start)) exits.successors.push_back(exit);
  llvm::sort(exits.successors);
  const MeetingPoints meeting_points(graph, blocks);
  for (BasicBlock* block : blocks.blocks) {
    if (graph.region_after(block) != 0 || !uniformity.diverges_at_end_of(block)) continue;
    exits.both_ways |= turns_before_barrier(graph, block);
    if (meeting_points.meet_after(block) || exits_from(graph, block).size() < 2) continue;
    exits.uniform = false;
    exits.both_ways |= parts_for_barriers(graph, block);
  }
  return exits;
}

namespace {

llvm::BitVector find_apart(const RegionGraph& graph, llvm::ArrayRef<RegionExits> exits) {
  const auto count = static_cast<unsigned>(exits.size());
  llvm::BitVector apart(count);
  for (unsigned region = 0; region < count; ++region)
    if (exits[region].scatters() && walk_to_block_barriers(graph, exits, region, apart) > 1)
      return llvm::BitVector(count, true);
  return apart;
}

}  // namespace

llvm::BitVector divergent_regions(const RegionGraph& graph,
                                  llvm::MutableArrayRef<RegionExits> exits) {
  // Threads that stand at one barrier of such a region may have come there in different iterations
  // of a loop around it: whether the loop goes on is then not uniform, though its counter is.
  for (;;) {
    const llvm::BitVector apart = find_apart(graph, exits);
    bool changed = false;
    for (const unsigned region : apart.set_bits())
      if (exits[region].successors.size() > 1)
        changed |= std::exchange(exits[region].uniform, false);
    if (!changed) return apart;
  }
}

}  // namespace treadle::cuda_cpu
