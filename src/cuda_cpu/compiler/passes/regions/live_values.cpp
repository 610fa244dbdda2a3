// SPDX-License-Identifier: MIT
// Live values: what is live at a barrier must be available behind it. Index arithmetic is
// rematerialised, which costs less than memory. The rest gets slots: values all
// threads share one in the uniform frame, the others an array over the threads in the varying
// frame (structure of arrays: neighbouring threads' values are adjacent, loops vectorise).
//
//   region 0:  %i = add i32 %thread.x, %n          region 1 computes it again
//              %v = load float, ptr %p             region 0 stores it to slot 0, region 1 loads it
//   barrier
//   region 1:  store float %v, ptr (%q + %i)
#include "cuda_cpu/compiler/passes/regions/live_values.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// More instructions than this cost more than a load from the first-level cache.
constexpr unsigned most_recomputed = 24;
constexpr unsigned not_recomputable = 1000;

bool outlives_block(const Instruction& value) {
  if (value.getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(value)) return false;
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    return llvm::isa<llvm::PHINode>(user) ||
           llvm::cast<Instruction>(user)->getParent() != value.getParent();
  });
}

/// Backward liveness over the blocks of a body, up to the next barriers.
class Liveness {
 public:
  Liveness(const KernelBody& body, const RegionGraph& graph) : graph_(graph) {
    for (Instruction& instruction : llvm::instructions(*body.function))
      if (outlives_block(instruction)) {
        index_[&instruction] = static_cast<unsigned>(values_.size());
        values_.push_back(&instruction);
      }
    for (BasicBlock& block : *body.function) {
      order_.push_back(&block);
      initialise(block);
    }
    while (sweep()) {
    }
  }

  llvm::SmallVector<Instruction*, 8> live_into(const BasicBlock* block) const {
    llvm::SmallVector<Instruction*, 8> result;
    for (unsigned bit : sets_.find(block)->second.live.set_bits()) result.push_back(values_[bit]);
    return result;
  }

 private:
  struct Sets {
    llvm::BitVector defined, live;
    llvm::BitVector used_by_phis;  ///< of successors, over the edges from this block
  };

  void initialise(BasicBlock& block) {
    const auto count = static_cast<unsigned>(values_.size());
    Sets& sets = sets_[&block];
    sets.defined.resize(count);
    sets.live.resize(count);
    sets.used_by_phis.resize(count);
    for (Instruction& instruction : block) {
      if (!llvm::isa<llvm::PHINode>(instruction))
        for (const llvm::Value* operand : instruction.operands())
          if (auto found = index_.find(operand);
              found != index_.end() && !sets.defined.test(found->second))
            sets.live.set(found->second);
      if (auto found = index_.find(&instruction); found != index_.end())
        sets.defined.set(found->second);
    }
    for (BasicBlock* next : graph_.successors(&block))
      for (llvm::PHINode& phi : next->phis())
        if (auto found = index_.find(phi.getIncomingValueForBlock(&block)); found != index_.end())
          sets.used_by_phis.set(found->second);
  }

  bool sweep() {
    bool changed = false;
    for (BasicBlock* block : llvm::reverse(order_)) {
      Sets& sets = sets_[block];
      llvm::BitVector live = sets.used_by_phis;
      for (BasicBlock* next : graph_.successors(block)) live |= sets_[next].live;
      live.reset(sets.defined);
      live |= sets.live;
      if (live == sets.live) continue;
      sets.live = std::move(live);
      changed = true;
    }
    return changed;
  }

  const RegionGraph& graph_;
  llvm::SmallVector<BasicBlock*, 32> order_;
  llvm::SmallVector<Instruction*, 64> values_;
  llvm::DenseMap<const llvm::Value*, unsigned> index_;
  llvm::DenseMap<const BasicBlock*, Sets> sets_;
};

bool is_cheap(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FDiv:
    case Instruction::FRem:
      return false;
    default:
      return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                       llvm::SelectInst>(instruction);
  }
}

}  // namespace

LiveValues::LiveValues(const KernelBody& body, const RegionGraph& graph,
                       const Uniformity& uniformity, const llvm::BitVector& apart) {
  find_needed(body, graph);
  llvm::SmallPtrSet<const BasicBlock*, 16> blocks_apart;
  for (unsigned region : apart.set_bits())
    blocks_apart.insert(graph.regions()[region].blocks.begin(),
                        graph.regions()[region].blocks.end());
  for (const auto& values : needed_)
    for (Instruction* value : values)
      if (!slot_index_.contains(value) && cost(body, value, 0) > most_recomputed)
        add_slot(*value, !blocks_apart.contains(value->getParent()) && !uniformity.varies(value));
}

void LiveValues::find_needed(const KernelBody& body, const RegionGraph& graph) {
  const Liveness liveness(body, graph);
  for (const RegionGraph::Region& region : graph.regions())
    needed_.push_back(liveness.live_into(region.start));
}

unsigned LiveValues::cost(const KernelBody& body, llvm::Value* value, unsigned depth) {
  if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return 0;
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || depth > most_recomputed) return not_recomputable;
  if (auto found = costs_.find(value); found != costs_.end()) return found->second;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
  unsigned total = not_recomputable;
  if (is_cheap(*instruction) || (load && body.reads_launch_arguments(*load))) {
    total = 1;
    for (llvm::Value* operand : instruction->operands())
      total = std::min(total + cost(body, operand, depth + 1), not_recomputable);
  }
  return costs_[value] = total;
}

void LiveValues::add_slot(Instruction& value, bool uniform) {
  Slot slot{&value, value.getType(), uniform, 0};
  // Stores of one bit keep a loop from being vectorised; stores of bytes do not.
  if (auto* integer = llvm::dyn_cast<llvm::IntegerType>(slot.memory_type))
    slot.memory_type = llvm::IntegerType::get(
        value.getContext(), static_cast<unsigned>(llvm::alignTo(integer->getBitWidth(), 8)));
  const std::uint64_t size = value.getModule()->getDataLayout().getTypeAllocSize(slot.memory_type);
  if (uniform) {
    slot.offset = llvm::alignTo(uniform_size_, 16);
    uniform_size_ = slot.offset + size;
  } else {
    slot.offset = varying_size_;
    varying_size_ += llvm::PowerOf2Ceil(size);
  }
  slot_index_[&value] = static_cast<unsigned>(slots_.size());
  slots_.push_back(slot);
}

const Slot* LiveValues::slot_of(const Instruction* value) const {
  const auto found = slot_index_.find(value);
  return found == slot_index_.end() ? nullptr : &slots_[found->second];
}

}  // namespace treadle::cuda_cpu
