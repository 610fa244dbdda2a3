// SPDX-License-Identifier: MIT
// Lockstep: the lanes of a warp run each instruction together, and programs count on it: one writes
// to shared memory, another reads it, with nothing between. By the letter a race; on a GPU it works
// as long as the compiler keeps the order. Here a thread runs from barrier to barrier before the
// next one starts, so that the lanes have to meet in between.
//
//   if (t < 16) s[t] = v;                           if (t < 16) s[t] = v;
//   if (t == 0)                               =>    call void @__treadle_barrier(i32 5)
//     for (i = 0; i < 16; ++i) sum += s[i];         if (t == 0) ...
//
// They meet where the branches come together, outside of loops that only read: at the topmost place
// that every way from the store to the load passes. Kernels whose loads are their threads' own
// elements, or behind a barrier, stay as they are. In a kernel that has such a pair, a read
// followed by a write and two writes are kept in order, too, unless the order of the threads
// does that already: in `s[t] += s[t + d]` lane t + d writes last. In all kernels nobody overtakes
// the others' reads: `while (x) { if (t == 0) x = ...; }`.
//
// An element that is read, changed and written back counts as the lane's own, whoever's it is: in
// lockstep updates would be lost, which nobody wants. With `volatile`, by which code from before
// __syncwarp() says that it counts on lockstep, none does, and all accesses are kept in order.
//
// A barrier of a warp in a branch that only some of its lanes take is no meeting place with those
// that read behind the branch.
//
// What a function does that was not inlined may meet any access.
#include "cuda_cpu/compiler/passes/regions/lockstep.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <memory>
#include <optional>

#include "cuda_cpu/compiler/passes/analysis/lane_conflicts.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;

// A kernel with more was written by a program, and has its barriers.
constexpr std::size_t most_accesses = 512;

/// Whether lanes of a warp meet at `instruction`: barriers of any kind, and shuffles.
bool lanes_meet_at(const Instruction& instruction) {
  return marker_of(instruction) == Marker::barrier;
}

/// A barrier that only lanes of a warp wait for each other at, which may be part of them.
bool may_be_for_some(const Instruction& barrier) {
  const auto* kind =
      llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(barrier).getArgOperand(0));
  return kind && (kind->equalsInt(static_cast<unsigned>(BarrierKind::named_warp)) ||
                  kind->equalsInt(static_cast<unsigned>(BarrierKind::whole_warp)) ||
                  kind->equalsInt(static_cast<unsigned>(BarrierKind::converge)));
}

/// On which sides of which branches that part lanes of a warp a block lies.
class PartingBranches {
 public:
  PartingBranches(llvm::Function& function, const llvm::PostDominatorTree& tree,
                  llvm::function_ref<bool(const llvm::BasicBlock&)> parts_lanes) {
    for (llvm::BasicBlock& branch : function) {
      const auto* node = tree.getNode(&branch);
      if (!node || branch.getTerminator()->getNumSuccessors() < 2) continue;
      if (parts_lanes(branch)) parting_.insert(&branch);
      for (unsigned side = 0; side < branch.getTerminator()->getNumSuccessors(); ++side)
        for (const auto* on = tree.getNode(branch.getTerminator()->getSuccessor(side));
             on && on != node->getIDom(); on = on->getIDom())
          sides_of_[on->getBlock()].emplace_back(&branch, side);
    }
  }

  /// Whether who comes to `end` takes all the sides that lead to `barrier`.
  bool lead_both(const llvm::BasicBlock& barrier, const llvm::BasicBlock& end) {
    if (parting_.empty()) return true;
    const Sides& needed = all_of(barrier);
    const Sides& taken = all_of(end);
    return llvm::all_of(needed, [&](const Side& side) { return taken.contains(side); });
  }

 private:
  using Side = std::pair<const llvm::BasicBlock*, unsigned>;
  using Sides = llvm::SmallSetVector<Side, 4>;

  /// Those around branches, too.
  const Sides& all_of(const llvm::BasicBlock& block) {
    const auto [entry, is_new] = known_.try_emplace(&block);
    if (!is_new) return *entry->second;
    auto found = std::make_unique<Sides>();
    llvm::SmallSetVector<const llvm::BasicBlock*, 8> around;
    around.insert(&block);
    for (std::size_t i = 0; i < around.size(); ++i)
      for (const Side& side : sides_of_.lookup(around[i])) {
        if (parting_.contains(side.first)) found->insert(side);
        around.insert(side.first);
      }
    return *(known_[&block] = std::move(found));
  }

  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> parting_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<Side, 2>> sides_of_;
  llvm::DenseMap<const llvm::BasicBlock*, std::unique_ptr<Sides>> known_;
};

/// Whether `value` is computed of `source`, within a block.
bool is_computed_of(const llvm::Value& value, const Instruction& source) {
  llvm::SmallVector<const llvm::Value*, 8> pending{&value};
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  while (!pending.empty()) {
    const auto* computed = llvm::dyn_cast<Instruction>(pending.pop_back_val());
    if (computed == &source) return true;
    if (computed == nullptr || computed->getParent() != source.getParent() ||
        llvm::isa<llvm::PHINode>(computed) || !seen.insert(computed).second)
      continue;
    pending.append(computed->op_begin(), computed->op_end());
  }
  return false;
}

/// Ways through the code on which no lanes meet.
class Ways {
 public:
  explicit Ways(llvm::ArrayRef<SharedAccess> accesses) {
    for (const SharedAccess& access : accesses) accesses_.insert(access.instruction);
  }

  /// From now on it counts who comes to a barrier.
  void part_at(PartingBranches& branches) { branches_ = &branches; }

  using Reached = llvm::SmallSetVector<Instruction*, 16>;
  /// The accesses behind `start`, up to `wall` or a place that all lanes pass which come to `end`.
  /// Null: more than those of any place.
  Reached from(Instruction* start, const Instruction* wall = nullptr,
               const llvm::BasicBlock* end = nullptr) {
    end_ = end;
    Reached reached;
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<Instruction*, 8> pending{start};
    for (bool first = true; !pending.empty(); first = false) {
      Instruction* at = pending.pop_back_val();
      llvm::BasicBlock* block = at->getParent();
      if (!follow(first ? at->getNextNode() : at, wall, reached)) continue;
      for (llvm::BasicBlock* next : llvm::successors(block))
        if (seen.insert(next).second) pending.push_back(&next->front());
    }
    return reached;
  }
  bool lead(Instruction* start, Instruction* end, const Instruction* wall = nullptr) {
    return from(start, wall, end->getParent()).contains(end);
  }
  /// Through the head of `loop`.
  bool lead_around(Instruction* start, Instruction* end, const llvm::Loop& loop) {
    Instruction* head = &loop.getHeader()->front();
    if (all_meet_at(*head, end->getParent())) return false;
    const bool added = accesses_.insert(head).second;
    const bool found =
        from(start, nullptr, end->getParent()).contains(head) && (head == end || lead(head, end));
    if (added) accesses_.erase(head);
    return found;
  }

 private:
  /// False at a place where lanes meet.
  bool follow(Instruction* from, const Instruction* wall, Reached& reached) const {
    for (Instruction* at = from; at != nullptr; at = at->getNextNode()) {
      if (at == wall) return false;
      if (accesses_.contains(at)) reached.insert(at);
      if (all_meet_at(*at, end_)) return false;
    }
    return true;
  }
  /// Whether it is a barrier that all lanes pass which come to `end`.
  bool all_meet_at(const Instruction& instruction, const llvm::BasicBlock* end) const {
    if (!lanes_meet_at(instruction)) return false;
    if (!may_be_for_some(instruction)) return true;
    return end && branches_ && branches_->lead_both(*instruction.getParent(), *end);
  }

  PartingBranches* branches_ = nullptr;
  const llvm::BasicBlock* end_ = nullptr;
  llvm::SmallPtrSet<const Instruction*, 32> accesses_;
};

bool is_volatile(const SharedAccess& access) { return access.instruction->isVolatile(); }

/// All lanes read what only those in a branch write.
bool may_overtake_reads(const SharedAccess& read, const SharedAccess& write) {
  return read.reads && write.writes &&
         read.instruction->getParent() != write.instruction->getParent() &&
         same_value(*read.pointer, *write.pointer);
}

/// Most kernels have no pair that could count, and need no analyses.
bool any_pair(llvm::ArrayRef<SharedAccess> accesses) {
  if (llvm::any_of(accesses, is_volatile)) return true;
  Ways ways(accesses);
  return llvm::any_of(accesses, [&](const SharedAccess& first) {
    const auto reached = ways.from(first.instruction);
    return llvm::any_of(accesses, [&](const SharedAccess& second) {
      return ((first.writes && second.reads) || may_overtake_reads(first, second)) &&
             reached.contains(second.instruction);
    });
  });
}

class Lockstep {
 public:
  Lockstep(const KernelBody& body, llvm::ArrayRef<SharedAccess> accesses, PassRunner& runner)
      : accesses_(accesses), ways_(accesses), uniformity_(body) {
    llvm::FunctionAnalysisManager& analyses = runner.fresh_analyses();
    dominators_ = &analyses.getResult<llvm::DominatorTreeAnalysis>(*body.function);
    loops_ = &analyses.getResult<llvm::LoopAnalysis>(*body.function);
    post_dominators_ = &analyses.getResult<llvm::PostDominatorTreeAnalysis>(*body.function);
    conflicts_.emplace(body, uniformity_, analyses);
    branches_.emplace(*body.function, *post_dominators_, [&](const llvm::BasicBlock& block) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      return uniformity_.diverges_at_end_of(&block) &&
             !(branch && conflicts_->keeps_warps_together(*branch->getCondition()));
    });
    ways_.part_at(*branches_);
  }

  void find_reads_behind_writes() {
    each_pair([&](const SharedAccess& first, const SharedAccess& second) {
      if (first.writes && second.reads && !(first.atomic && second.atomic) &&
          !is_lanes_own(first, second) && need_to_meet(first, second, &LaneConflicts::may_meet))
        found_.emplace_back(first.instruction, second.instruction);
    });
  }
  void find_writes_out_of_order(ThreadOrder order) {
    const auto may_meet = order == ThreadOrder::ascending ? &LaneConflicts::higher_first_may_meet
                                                          : &LaneConflicts::may_meet;
    const bool in_lockstep = !found_.empty();
    each_pair([&](const SharedAccess& first, const SharedAccess& second) {
      if (second.writes && !second.atomic && !first.atomic &&
          (in_lockstep || is_volatile(first) || is_volatile(second) ||
           (may_overtake_reads(first, second) && conflicts_->is_one_address(second))) &&
          !in_order_anyhow(first, second) && need_to_meet(first, second, may_meet))
        found_.emplace_back(first.instruction, second.instruction);
    });
  }
  void let_them_meet() {
    for (const auto& [start, end] : found_)
      if (ways_.lead(start, end)) meet_at(meeting_place(start, end));
  }

 private:
  template <class Visit>
  void each_pair(Visit&& visit) {
    llvm::DenseMap<const Instruction*, llvm::SmallVector<const SharedAccess*, 2>> of;
    for (const SharedAccess& access : accesses_) of[access.instruction].push_back(&access);
    for (const SharedAccess& first : accesses_)
      for (Instruction* reached : ways_.from(first.instruction))
        for (const SharedAccess* second : of[reached]) visit(first, *second);
  }

  /// A thread that reads what it has itself just written there, or reads it in order to write.
  bool is_lanes_own(const SharedAccess& write, const SharedAccess& read) const {
    if (is_volatile(write) || is_volatile(read) || !same_value(*write.pointer, *read.pointer))
      return false;
    return dominators_->dominates(write.instruction, read.instruction) ||
           (dominators_->dominates(read.instruction, write.instruction) &&
            (write.atomic || changes(read, write)));
  }
  /// A read and a write of what was read there, changed; or of another element in each lane.
  bool changes(const SharedAccess& read, const SharedAccess& write) const {
    if (read.instruction->getParent() != write.instruction->getParent()) return false;
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    return store == nullptr || !conflicts_->is_one_address(write) ||
           is_computed_of(*store->getValueOperand(), *read.instruction);
  }
  /// Through one address: an update of what is there, or two writes by each lane that comes.
  bool in_order_anyhow(const SharedAccess& first, const SharedAccess& second) const {
    if (!same_value(*first.pointer, *second.pointer)) return false;
    if (first.writes) return first.instruction->getParent() == second.instruction->getParent();
    return is_lanes_own(second, first);
  }

  using MayMeet = bool (LaneConflicts::*)(const SharedAccess&, const SharedAccess&,
                                          const llvm::Loop*);
  bool need_to_meet(const SharedAccess& first, const SharedAccess& second, MayMeet may_meet) {
    Instruction *start = first.instruction, *end = second.instruction;
    if (((*conflicts_).*may_meet)(first, second, nullptr) && ways_.lead(start, end)) return true;
    for (const llvm::Loop* loop = loops_->getLoopFor(start->getParent()); loop;
         loop = loop->getParentLoop())
      if (loop->contains(end) && ((*conflicts_).*may_meet)(first, second, loop) &&
          ways_.lead_around(start, end, *loop))
        return true;
    return false;
  }

  /// In front of `place`. Lanes that do not come there wait for the others where their ways meet
  /// again: they would be one step ahead.
  void meet_at(Instruction* place) {
    call_barrier(place, BarrierKind::converge);
    llvm::SmallVector<llvm::BasicBlock*, 4> pending{place->getParent()};
    while (!pending.empty()) {
      llvm::BasicBlock* block = pending.pop_back_val();
      for (llvm::BasicBlock& branch : *block->getParent()) {
        if (!uniformity_.diverges_at_end_of(&branch) || !decides_whether_to_run(branch, *block))
          continue;
        const auto* node = post_dominators_->getNode(&branch)->getIDom();
        llvm::BasicBlock* joined = node ? node->getBlock() : nullptr;
        if (joined == nullptr || !joined_.insert(joined).second) continue;
        call_barrier(&*joined->getFirstInsertionPt(), BarrierKind::converge);
        pending.push_back(joined);
      }
    }
  }
  bool decides_whether_to_run(llvm::BasicBlock& branch, llvm::BasicBlock& block) const {
    return !post_dominators_->properlyDominates(&block, &branch) &&
           llvm::any_of(llvm::successors(&branch), [&](llvm::BasicBlock* next) {
             return post_dominators_->dominates(&block, next);
           });
  }

  /// In front of which instruction: the topmost in as few loops as can be.
  Instruction* meeting_place(Instruction* start, Instruction* end) {
    Instruction* best = end;
    unsigned depth = loops_->getLoopDepth(end->getParent());
    for (const auto* node = dominators_->getNode(end->getParent()); node; node = node->getIDom()) {
      llvm::BasicBlock* block = node->getBlock();
      if (loops_->getLoopDepth(block) > depth) continue;
      const bool behind_start = block == start->getParent() && block != end->getParent();
      Instruction* place = behind_start ? block->getTerminator() : &*block->getFirstInsertionPt();
      if (ways_.lead(start, end, place)) continue;
      best = place;
      depth = loops_->getLoopDepth(block);
    }
    return best;
  }

  llvm::ArrayRef<SharedAccess> accesses_;
  Ways ways_;
  Uniformity uniformity_;
  const llvm::DominatorTree* dominators_ = nullptr;
  const llvm::LoopInfo* loops_ = nullptr;
  const llvm::PostDominatorTree* post_dominators_ = nullptr;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> joined_;
  std::optional<LaneConflicts> conflicts_;
  std::optional<PartingBranches> branches_;
  llvm::SmallVector<std::pair<Instruction*, Instruction*>, 8> found_;
};

}  // namespace

void keep_lockstep(const KernelBody& body, PassRunner& runner, ThreadOrder order) {
  const auto accesses = shared_accesses(body);
  if (accesses.size() > most_accesses) return;
  if (!any_pair(accesses)) return;
  Lockstep lockstep(body, accesses, runner);
  lockstep.find_reads_behind_writes();
  lockstep.find_writes_out_of_order(order);
  lockstep.let_them_meet();
}

}  // namespace treadle::cuda_cpu
