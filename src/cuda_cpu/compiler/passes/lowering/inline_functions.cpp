// SPDX-License-Identifier: MIT
// Inline: every device function that does not call itself, in one step or several, goes
// into its callers, `__noinline__` or not: a barrier inside it must be seen by the splitter, and
// index calls inside it become plain values. What remains are recursive functions and those whose
// address is taken (device_functions). Then the memory that clang gives to every local becomes
// registers, and generic pointers (address space 4) become plain ones where their origin shows.
//
//   define internal float @twice(float %x) { ... }
//   define void @k(ptr %p) {                        define void @k(ptr %p) {
//     %a = alloca float                               %v = load float, ptr %p
//     %v = load float, ptr %p                   =>    %r = fmul float %v, 2.0
//     %r = call float @twice(float %v)                store float %r, ptr %p
//     ...                                             ret void
//
// Link-time facts about internal variables are not used here: shared variables still are internal
// globals, and the barrier call that lets other threads write them looks like it cannot.
#include "cuda_cpu/compiler/passes/lowering/inline_functions.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "cuda_cpu/compiler/passes/lowering/whole_warps.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_state.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned generic_address_space = 4;

llvm::SmallPtrSet<llvm::Function*, 8> recursive_functions(llvm::Module& module) {
  llvm::SmallPtrSet<llvm::Function*, 8> found;
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (!component.hasCycle()) continue;
    for (const llvm::CallGraphNode* node : *component)
      if (llvm::Function* function = node->getFunction()) found.insert(function);
  }
  return found;
}

void mark_for_inlining(llvm::Module& module, const ModulePlan& plan) {
  auto keep = recursive_functions(module);
  for (const KernelPlan& kernel : plan.kernels) keep.insert(kernel.function);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (keep.contains(&function)) {
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
      continue;
    }
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

}  // namespace

void inline_functions(llvm::Module& module, const ModulePlan& plan, PassRunner& runner) {
  mark_for_inlining(module, plan);
  llvm::ModulePassManager inlining;
  inlining.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  inlining.addPass(llvm::GlobalDCEPass());
  runner.run(inlining, module);
  lower_ptx_state(module);
  llvm::FunctionPassManager clean;
  clean.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  clean.addPass(llvm::InferAddressSpacesPass(generic_address_space));
  clean.addPass(llvm::EarlyCSEPass());
  clean.addPass(llvm::SimplifyCFGPass());
  clean.addPass(llvm::InstCombinePass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(clean)));
  runner.run(passes, module);
  // Which barrier a warp operation needs hangs on what is known of its mask: to be known now.
  find_whole_warps(module, plan, runner);
  llvm::ModulePassManager constants;
  constants.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::LowerConstantIntrinsicsPass()));
  runner.run(constants, module);
}

}  // namespace treadle::cuda_cpu
