// SPDX-License-Identifier: MIT
// After LLVM's optimiser, line tables: all passes before move a kernel's instructions from function
// to function, and copy them, together with the places they carry: `line 3 of scale`. A debugger
// believes that only inside a function that says it is `scale`, and one such description belongs to
// one function. So each function that a kernel was made into gets a description of its own.
//
//   define internal void @all.0.k(...) {          define internal void @k.all.0(...) !dbg !8 {
//     store ..., !dbg !6                     =>     store ..., !dbg !7
//   !5 = distinct !DISubprogram("k")              !8 = distinct !DISubprogram("k")
//   !6 = !DILocation(line: 3, scope: !5)          !7 = !DILocation(line: 3, scope: !8)
//
// Only at the end: a call that is inlined between described functions would make two frames of one
// kernel. The kernel's symbol comes first in the names: profilers and debuggers show them, and take
// what is behind a dot for the mark of a copy.
#include "cuda_cpu/compiler/passes/lowering/line_tables.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/check/source_location.hpp"
#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace treadle::cuda_cpu {
namespace {

class Description {
 public:
  Description(llvm::Function& function, const llvm::DISubprogram& origin)
      : context_(function.getContext()),
        own_(llvm::MDNode::replaceWithDistinct(origin.clone())),
        unknown_(llvm::DILocation::get(context_, 0, 0, own_)) {
    // Debuggers believe the linker's name before the source's: break at `k`, not at `k.all.0`.
    own_->replaceLinkageName(nullptr);
    own_->replaceRetainedNodes(llvm::DINodeArray());
    function.setSubprogram(own_);
  }

  void take(llvm::Instruction& instruction) {
    if (const llvm::DebugLoc& place = instruction.getDebugLoc())
      instruction.setDebugLoc(moved(place));
    else if (llvm::isa<llvm::CallBase>(instruction))
      instruction.setDebugLoc(unknown_);  // LLVM wants to know of every call
    llvm::updateLoopMetadataDebugLocations(instruction, [&](llvm::Metadata* part) {
      auto* place = llvm::dyn_cast_or_null<llvm::DILocation>(part);
      return place ? moved(place).get() : part;
    });
  }

 private:
  llvm::DebugLoc moved(const llvm::DebugLoc& place) {
    return llvm::DebugLoc::replaceInlinedAtSubprogram(users_place(place.get()), *own_, context_,
                                                      moved_);
  }

  llvm::LLVMContext& context_;
  llvm::DISubprogram* own_;
  llvm::DILocation* unknown_;
  llvm::DenseMap<const llvm::MDNode*, llvm::MDNode*> moved_;
};

/// The kernel that the function was made of; null for one of the user's own functions.
const KernelPlan* kernel_of(const llvm::Function& function, const ModulePlan& plan) {
  for (const KernelPlan& kernel : plan.kernels)
    if (function.getName().ends_with("." + kernel.name)) return &kernel;
  return nullptr;
}

/// "run.k" and "all.0.k" become "k.kernel" and "k.all.0". Never "k" alone: a kernel may be called
/// memset, and the calls that LLVM makes of its own shall go to the C library's.
void name_after(const KernelPlan& kernel, llvm::Function& function) {
  const llvm::StringRef step = function.getName().drop_back(kernel.name.size() + 1);
  function.setName(kernel.name + (step == "run" ? ".kernel" : "." + step));
}

}  // namespace

void finish_line_tables(llvm::Module& module, const ModulePlan& plan) {
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    const KernelPlan* kernel = kernel_of(function, plan);
    if (!kernel) continue;
    name_after(*kernel, function);  // what another part of the module defines, too
    if (!kernel->description || function.isDeclaration()) continue;
    Description description(function, *kernel->description);
    for (llvm::Instruction& instruction : llvm::instructions(function))
      description.take(instruction);
  }
}

}  // namespace treadle::cuda_cpu
