// SPDX-License-Identifier: MIT
// Slot coloring: values that are never needed at the same time share a slot of the varying frame. A
// sum that a loop carries across a barrier is two values, the PHI at the loop's head and what the
// body makes of it. With a slot each, every iteration copies all threads' sums from one array to
// the other.
//
//   head:  %sum = phi [ 0, %entry ], [ %next, %body ]     %sum: slot 0      %sum:  slot 0
//          barrier                                        %next: slot 1 =>  %next: slot 0
//   body:  %next = fadd %sum, ...                         a copy in head    nothing to do in head
//          barrier
//
// Two values interfere if both are live at a barrier, or if one is stored in a region behind which
// the other is still live.
#include "cuda_cpu/compiler/passes/speed/slot_coloring.hpp"

#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;

class SlotColoring {
 public:
  SlotColoring(llvm::ArrayRef<Slot> slots, const RegionGraph& graph, const AliveValues& alive)
      : slots_(slots), graph_(graph), alive_(alive) {
    for (unsigned i = 0; i < slots.size(); ++i) color_.push_back(i);
  }

  llvm::SmallVector<unsigned, 16> run() {
    for (unsigned i = 0; i < slots_.size(); ++i)
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(slots_[i].value))
        for (const llvm::Value* from : phi->incoming_values()) join(i, from);
    return color_;
  }

 private:
  void join(unsigned phi, const llvm::Value* from) {
    for (unsigned other = 0; other < slots_.size(); ++other)
      if (slots_[other].value == from && may_meet(phi, other)) {
        const unsigned low = std::min(color_[phi], color_[other]);
        const unsigned high = std::max(color_[phi], color_[other]);
        for (unsigned& home : color_)
          if (home == high) home = low;
      }
  }

  /// All that live in the one slot, against all that live in the other.
  bool may_meet(unsigned a, unsigned b) const {
    if (color_[a] == color_[b] || slots_[a].uniform || slots_[b].uniform ||
        slots_[a].memory_type != slots_[b].memory_type)
      return false;
    for (unsigned i = 0; i < slots_.size(); ++i)
      for (unsigned j = 0; j < slots_.size(); ++j)
        if (color_[i] == color_[a] && color_[j] == color_[b] && in_the_way(i, j)) return false;
    return true;
  }

  bool in_the_way(unsigned a, unsigned b) const {
    const Instruction *first = slots_[a].value, *second = slots_[b].value;
    for (const auto& alive : alive_)
      if (alive.contains(first) && alive.contains(second)) return true;
    return stored_while_alive(*first, *second) || stored_while_alive(*second, *first);
  }

  /// Is `waiting` alive behind a region that stores `stored`?
  bool stored_while_alive(const Instruction& stored, const Instruction& waiting) const {
    for (const RegionGraph::Region& region : graph_.regions()) {
      if (!llvm::is_contained(region.blocks, stored.getParent())) continue;
      for (const llvm::BasicBlock* block : region.blocks)
        if (const int next = graph_.exit_of(block);
            next >= 0 && next != region_exited &&
            alive_[static_cast<unsigned>(next)].contains(&waiting))
          return true;
    }
    return false;
  }

  const llvm::ArrayRef<Slot> slots_;
  const RegionGraph& graph_;
  const AliveValues& alive_;
  llvm::SmallVector<unsigned, 16> color_;
};

}  // namespace

llvm::SmallVector<unsigned, 16> slot_colors(llvm::ArrayRef<Slot> slots, const RegionGraph& graph,
                                            const AliveValues& alive) {
  return SlotColoring(slots, graph, alive).run();
}

}  // namespace treadle::cuda_cpu
