// SPDX-License-Identifier: MIT
// Region functions: a copy of a region's blocks as a function for one thread. It starts
// by bringing back the values it needs, stores those that later regions need right where they are
// computed, and returns the number of the region the thread goes to.
//
//   entry:                                        define i8 @region.0(..., i32 %thread, ...) {
//     %v = load float, ptr %p               =>      %v = load float, ptr %p
//     br label %after.1   ; barrier                 store float %v, ptr (%frame + 4 * %thread)
//                                                   ret i8 1
//   after.1:                                      define i8 @region.1(..., i32 %thread, ...) {
//     store float %v, ptr %q                =>      %v = load float, ptr (%frame + 4 * %thread)
//     ret void                                      store float %v, ptr %q
//                                                   ret i8 255
#include "cuda_cpu/compiler/passes/regions/region_function.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "cuda_cpu/compiler/passes/regions/live_values.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

class RegionBuilder {
 public:
  RegionBuilder(const KernelBody& body, const RegionGraph& graph, const LiveValues& live,
                const LocalMemory& local, unsigned number, llvm::ArrayRef<const Slot*> indices)
      : body_(body),
        graph_(graph),
        live_(live),
        local_(local),
        number_(number),
        region_(graph.regions()[number]),
        builder_(body.function->getContext()) {
    result_.indices.assign(indices.begin(), indices.end());
  }

  RegionFunction build() {
    for (const BasicBlock* block : region_.blocks) inside_.insert(block);
    choose_parameters();
    create_function();
    builder_.SetInsertPoint(entry_);
    provide_local_memory();
    provide_needed_values();
    clone_blocks();
    store_results();
    redirect_exits();
    builder_.SetInsertPoint(entry_);
    builder_.CreateBr(llvm::cast<BasicBlock>(copy_of(region_.start)));
    merge_needed_values();
    return std::move(result_);
  }

 private:
  Value* copy_of(const Value* original) const { return map_.lookup(original); }
  Value* extra(unsigned index) const {
    return result_.function->getArg(static_cast<unsigned>(body_.function->arg_size()) + index);
  }
  Value* thread() const { return extra(0); }
  Value* padded_count() const { return extra(1); }
  Value* uniform_frame() const { return extra(2); }
  Value* varying_frame() const { return extra(3); }
  Value* local_memory() const { return extra(4); }
  static constexpr unsigned fixed_extra_parameters = 5;

  void choose_parameters();
  void create_function();
  void provide_local_memory();
  void provide_needed_values();
  Value* recompute(Value* value);
  Value* slot_address(llvm::IRBuilder<>& builder, const Slot& slot) const;
  void clone_blocks();
  void drop_foreign_edges(BasicBlock& original) const;
  void store_results();
  void redirect_exits();
  void merge_needed_values();

  const KernelBody& body_;
  const RegionGraph& graph_;
  const LiveValues& live_;
  const LocalMemory& local_;
  const unsigned number_;
  const RegionGraph::Region& region_;
  llvm::IRBuilder<> builder_;
  RegionFunction result_;
  BasicBlock* entry_ = nullptr;
  llvm::ValueToValueMapTy map_;
  llvm::SmallPtrSet<const BasicBlock*, 16> inside_;
  /// Values the region both needs from before and computes itself, with what came from before.
  llvm::SmallVector<std::pair<Instruction*, Value*>, 8> merged_;
  llvm::DenseMap<const Value*, Value*> recomputed_;
  llvm::SmallVector<std::pair<Instruction*, Value*>, 4> local_addresses_;
};

/// What the caller loads, of the values in slots.
void RegionBuilder::choose_parameters() {
  for (const Instruction* value : live_.needed_by(number_))
    if (const Slot* slot = live_.slot_of(value); slot && slot->uniform)
      result_.uniform_values.push_back(slot);
  result_.next_indices.resize(result_.indices.size());
}

void RegionBuilder::create_function() {
  llvm::SmallVector<llvm::Type*, 32> types(body_.function->getFunctionType()->params());
  types.append(2, builder_.getInt32Ty());
  types.append(3, builder_.getPtrTy());
  for (const Slot* slot : result_.uniform_values) types.push_back(slot->memory_type);
  for (const Slot* slot : result_.indices) types.push_back(slot->memory_type);
  auto* type = llvm::FunctionType::get(builder_.getInt8Ty(), types, false);
  result_.function =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                             "region." + llvm::Twine(number_) + "." + body_.function->getName(),
                             body_.function->getParent());
  result_.function->setAttributes(
      llvm::AttributeList::get(builder_.getContext(), body_.function->getAttributes().getFnAttrs(),
                               llvm::AttributeSet(), {}));
  for (llvm::Argument& argument : body_.function->args()) {
    llvm::Argument* own = result_.function->getArg(argument.getArgNo());
    own->setName(argument.getName());
    map_[&argument] = own;
  }
  entry_ = BasicBlock::Create(builder_.getContext(), "entry", result_.function);
}

void RegionBuilder::provide_local_memory() {
  if (local_.size == 0) return;
  Value* base = builder_.CreateInBoundsGEP(
      builder_.getInt8Ty(), local_memory(),
      builder_.CreateNUWMul(builder_.CreateZExt(thread(), builder_.getInt64Ty()),
                            builder_.getInt64(local_.size)));
  for (Instruction& instruction : body_.function->getEntryBlock())
    if (auto found = local_.offsets.find(&instruction); found != local_.offsets.end())
      local_addresses_.push_back({&instruction, builder_.CreateConstInBoundsGEP1_64(
                                                    builder_.getInt8Ty(), base, found->second)});
}

Value* RegionBuilder::slot_address(llvm::IRBuilder<>& builder, const Slot& slot) const {
  if (slot.uniform)
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), uniform_frame(), slot.offset);
  return varying_address(builder, slot, varying_frame(), padded_count(), thread());
}

Value* RegionBuilder::recompute(Value* value) {
  if (llvm::isa<llvm::Constant>(value)) return value;
  if (llvm::isa<llvm::Argument>(value)) return copy_of(value);
  if (auto found = recomputed_.find(value); found != recomputed_.end()) return found->second;
  Instruction* copy = llvm::cast<Instruction>(value)->clone();
  for (llvm::Use& operand : copy->operands()) operand.set(recompute(operand.get()));
  builder_.Insert(copy, value->getName());
  return recomputed_[value] = copy;
}

void RegionBuilder::provide_needed_values() {
  llvm::DenseMap<const Slot*, Value*> given;
  unsigned next = fixed_extra_parameters;
  for (const Slot* slot : result_.uniform_values) given[slot] = extra(next++);
  for (const Slot* slot : result_.indices) given[slot] = extra(next++);
  for (Instruction* value : live_.needed_by(number_)) {
    const Slot* slot = live_.slot_of(value);
    Value* before = nullptr;
    if (!slot) {
      before = recompute(value);
    } else {
      before = given.lookup(slot);
      if (!before) before = builder_.CreateLoad(slot->memory_type, slot_address(builder_, *slot));
      before = before->getType()->isIntegerTy() ? builder_.CreateTrunc(before, value->getType())
                                                : before;
    }
    if (inside_.contains(value->getParent()))
      merged_.push_back({value, before});
    else
      map_[value] = before;
  }
}

/// Edges into the copy that do not come from inside the region are gone.
void RegionBuilder::drop_foreign_edges(BasicBlock& original) const {
  auto* copy = llvm::cast<BasicBlock>(copy_of(&original));
  for (llvm::PHINode& phi : llvm::make_early_inc_range(copy->phis()))
    for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
      if (const BasicBlock* from = phi.getIncomingBlock(i);
          !inside_.contains(from) || graph_.region_after(from) != 0)
        phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
}

void RegionBuilder::clone_blocks() {
  for (BasicBlock* block : region_.blocks)
    map_[block] = llvm::CloneBasicBlock(block, map_, "", result_.function);
  for (const auto& [local, address] : local_addresses_) map_[local] = address;
  // The start block has no PHIs: it is the entry of the body or lies behind a barrier.
  for (BasicBlock* block : region_.blocks) drop_foreign_edges(*block);
  for (BasicBlock* block : region_.blocks) {
    auto* copy = llvm::cast<BasicBlock>(copy_of(block));
    for (Instruction& instruction : llvm::make_early_inc_range(*copy)) {
      // Lifetimes and the allocas themselves mean nothing for memory outside the stack.
      if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.isLifetimeStartOrEnd())
        instruction.eraseFromParent();
      else
        llvm::RemapInstruction(&instruction, map_,
                               llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
    }
  }
}

void RegionBuilder::store_results() {
  for (const Slot& slot : live_.slots()) {
    if (!inside_.contains(slot.value->getParent())) continue;
    auto* value = llvm::cast<Instruction>(copy_of(slot.value));
    Instruction* at = llvm::isa<llvm::PHINode>(value) ? &*value->getParent()->getFirstInsertionPt()
                                                      : value->getNextNode();
    builder_.SetInsertPoint(at);
    Value* stored =
        value->getType()->isIntegerTy() ? builder_.CreateZExt(value, slot.memory_type) : value;
    builder_.CreateStore(stored, slot_address(builder_, slot));
    const auto index = llvm::find(result_.indices, &slot);
    if (index != result_.indices.end())
      result_.next_indices[static_cast<std::size_t>(index - result_.indices.begin())] = value;
  }
}

void RegionBuilder::redirect_exits() {
  BasicBlock* leave = BasicBlock::Create(builder_.getContext(), "leave", result_.function);
  builder_.SetInsertPoint(leave);
  llvm::PHINode* next = builder_.CreatePHI(builder_.getInt8Ty(), 4, "next");
  builder_.CreateRet(next);
  for (BasicBlock* block : region_.blocks) {
    const int exit = graph_.exit_of(block);
    if (exit < 0) continue;
    auto* copy = llvm::cast<BasicBlock>(copy_of(block));
    copy->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(copy);
    builder_.CreateBr(leave);
    next->addIncoming(builder_.getInt8(static_cast<std::uint8_t>(exit)), copy);
  }
  if (next->getNumIncomingValues() == 0) leave->eraseFromParent();  // an endless loop
}

void RegionBuilder::merge_needed_values() {
  for (const auto& [original, before] : merged_) {
    auto* computed = llvm::cast<Instruction>(copy_of(original));
    llvm::SSAUpdater updater;
    updater.Initialize(computed->getType(), original->getName());
    updater.AddAvailableValue(entry_, before);
    updater.AddAvailableValue(computed->getParent(), computed);
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& use : computed->uses()) {
      const auto* user = llvm::cast<Instruction>(use.getUser());
      // A use in the same block, not in a PHI, follows the definition.
      if (user->getParent() != computed->getParent() || llvm::isa<llvm::PHINode>(user))
        uses.push_back(&use);
    }
    for (llvm::Use* use : uses) updater.RewriteUse(*use);
  }
}

}  // namespace

Value* varying_address(llvm::IRBuilderBase& builder, const Slot& slot, Value* frame,
                       Value* padded_count, Value* thread) {
  llvm::Type* wide = builder.getInt64Ty();
  Value* array = builder.CreateInBoundsGEP(
      builder.getInt8Ty(), frame,
      builder.CreateNUWMul(builder.CreateZExt(padded_count, wide), builder.getInt64(slot.offset)));
  return builder.CreateInBoundsGEP(slot.memory_type, array, builder.CreateZExt(thread, wide));
}

LocalMemory plan_local_memory(const KernelBody& body) {
  const llvm::DataLayout& layout = body.function->getParent()->getDataLayout();
  LocalMemory memory;
  std::uint64_t alignment = 16;
  for (const Instruction& instruction : llvm::instructions(*body.function)) {
    const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!local) continue;
    alignment = std::max(alignment, local->getAlign().value());
    memory.offsets[local] = llvm::alignTo(memory.size, local->getAlign().value());
    memory.size = memory.offsets[local] + local->getAllocationSize(layout)->getFixedValue();
  }
  memory.size = llvm::alignTo(memory.size, alignment);
  return memory;
}

RegionFunction make_region_function(const KernelBody& body, const RegionGraph& graph,
                                    const LiveValues& live, const LocalMemory& local,
                                    unsigned region, llvm::ArrayRef<const Slot*> indices) {
  return RegionBuilder(body, graph, live, local, region, indices).build();
}

}  // namespace treadle::cuda_cpu
