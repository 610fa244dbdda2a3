// SPDX-License-Identifier: MIT
// Join regions: where each region has one successor only, the scheduler has nothing to decide. The
// loops of all regions then go into one function, which loads the launch's arguments and the
// block's size once, and keeps uniform values in registers.
//
//   region 0: run_all = @all.0.k, then 1        region 0: run_all = @all.k, then out
//   region 1: run_all = @all.1.k, then 2   =>
//   region 2: run_all = @all.2.k, then out      @all.k: loops of @all.0.k, @all.1.k, @all.2.k
//
// A barrier needs no instruction between two loops: one worker runs them, one after the other.
#include "cuda_cpu/compiler/passes/speed/join_regions.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace treadle::cuda_cpu {
namespace {

// LLVM's passes take longer than in proportion on long functions; a call costs less than that.
constexpr std::size_t most_joined = 24;

/// The functions in the order in which threads come through; empty if threads choose or come back.
std::vector<llvm::Function*> straight_way(const KernelPlan& kernel) {
  std::vector<llvm::Function*> functions;
  for (std::int32_t at = 0; at != region_exited;) {
    const RegionPlan& region = kernel.regions[static_cast<std::size_t>(at)];
    if (region.only_successor < 0 || region.run_selected != nullptr) return {};
    if (functions.size() == most_joined) return {};
    // There the block stops until all others have come as far.
    if (region.barrier == BarrierKind::grid) return {};
    functions.push_back(region.run_all);
    at = region.only_successor;
  }
  return functions;
}

llvm::Function* append(llvm::ArrayRef<llvm::Function*> functions, const std::string& name) {
  llvm::Function& first = *functions.front();
  auto* whole = llvm::Function::Create(first.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                       name, first.getParent());
  whole->setAttributes(first.getAttributes());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(first.getContext(), "entry", whole));
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Function* function : functions)
    calls.push_back(builder.CreateCall(function, {whole->getArg(0), whole->getArg(1)}));
  builder.CreateRetVoid();
  for (llvm::CallInst* call : calls) {
    llvm::Function* function = call->getCalledFunction();
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false);
    function->eraseFromParent();
  }
  return whole;
}

}  // namespace

void join_regions(KernelPlan& kernel) {
  const std::vector<llvm::Function*> functions = straight_way(kernel);
  // Regions that no thread comes to would have to stay; there are none but in dead code.
  if (functions.size() < 2 || functions.size() != kernel.regions.size()) return;
  RegionPlan whole = kernel.regions.front();
  whole.run_all = append(functions, "all." + kernel.name);
  whole.only_successor = region_exited;
  kernel.regions = {whole};
}

}  // namespace treadle::cuda_cpu
