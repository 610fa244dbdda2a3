// SPDX-License-Identifier: MIT
// Full strips: of a strip-mined loop `for (i = thread; i < n; i += step)` all strips but the last
// are run by all threads to their ends. The exit conditions cost each vector of threads a mask.
// Where the index is consecutive along a row of threads, its first and last thread tell whether any
// thread leaves the loop in this strip; if none does, a copy of the strip without exits runs.
//
//   %s = fadd %a, load (%p + %i)                    if %i + %d < %n at both ends of all rows:
//   br (%i + %d < %n), %more, %end          =>        %s = fadd %a, load (%p + %i)
//   more: %s.1 = fadd %s, load (%p + %i + %d)         %s.1 = fadd %s, load (%p + %i + %d)
#include "cuda_cpu/compiler/passes/speed/full_strips.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/regions/region_function.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

/// From where a thread can come to the end of a region that sends it to the same region again.
class WaysBack {
 public:
  WaysBack(const llvm::Function& region, unsigned number) : number_(number) {
    llvm::SmallVector<const llvm::BasicBlock*, 8> open;
    const auto add = [&](const llvm::BasicBlock* block) {
      if (blocks_.insert(block).second) open.push_back(block);
    };
    for (const llvm::BasicBlock& block : region)
      for (const llvm::BasicBlock* before : llvm::predecessors(&block))
        if (ends(block) && leads_back(*before, block)) add(before);
    while (!open.empty())
      for (const llvm::BasicBlock* before : llvm::predecessors(open.pop_back_val())) add(before);
  }

  bool lead_from(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
    return ends(to) ? leads_back(from, to) : blocks_.contains(&to);
  }

 private:
  static bool ends(const llvm::BasicBlock& block) {
    return llvm::isa<llvm::ReturnInst>(block.getTerminator());
  }
  /// `end` returns where the thread goes next.
  bool leads_back(const llvm::BasicBlock& from, const llvm::BasicBlock& end) const {
    const Value* next = llvm::cast<llvm::ReturnInst>(end.getTerminator())->getReturnValue();
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(next); phi && phi->getParent() == &end)
      next = phi->getIncomingValueForBlock(&from);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(next);
    return !constant || constant->getZExtValue() == number_;
  }

  const unsigned number_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> blocks_;
};

}  // namespace

FullStrip::FullStrip(const KernelBody& body, const RegionFunction& region, unsigned number) {
  KernelBody as_body = body;
  as_body.function = region.function;
  RowValues row(as_body);
  const auto parameters = static_cast<unsigned>(body.function->arg_size());
  const auto count = static_cast<unsigned>(region.function->arg_size());
  row.set(body.user_parameters, RowValues::Kind::consecutive);
  row.set(body.user_parameters + 1, RowValues::Kind::other);
  row.set(body.user_parameters + 2, RowValues::Kind::other);
  row.set(parameters, RowValues::Kind::consecutive);
  for (auto i = static_cast<unsigned>(region.indices.size()); i > 0; --i)
    row.set(count - i, RowValues::Kind::consecutive);
  const WaysBack back(*region.function, number);
  for (const llvm::BasicBlock& block : *region.function) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) continue;
    const bool stays = back.lead_from(block, *branch->getSuccessor(0));
    if (stays != back.lead_from(block, *branch->getSuccessor(1)))
      conditions_.add(branch->getCondition(), stays, row);
  }
  copy_ = conditions_.copy_with_answers(*region.function);
  if (!copy_) return;
  if (region.indices.size() != 1 || !region.next_indices[0] ||
      !row.consecutive(region.next_indices[0]))
    return;
  index_ = region.function->getArg(static_cast<unsigned>(region.function->arg_size()) - 1);
  next_index_ = region.next_indices[0];
}

Value* FullStrip::index_distance(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> first) const {
  if (!next_index_) return nullptr;
  Rematerializer rematerializer(builder, first);
  return builder.CreateSub(rematerializer.compute(next_index_), rematerializer.compute(index_));
}

}  // namespace treadle::cuda_cpu
