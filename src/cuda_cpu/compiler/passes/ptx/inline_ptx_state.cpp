// SPDX-License-Identifier: MIT
// The carry flag outlives an assembly: `add.cc` in one statement, `addc` in the next, often each in
// a function of its own. After inlining it is a variable of the thread, which costs nothing where
// nobody reads it. A function that was not inlined begins with a clear flag.
//
//   call void @__treadle_ptx_set_carry(i1 %c)         store i1 %c, ptr %carry
//   %r = call i1 @__treadle_ptx_carry()         =>    %r = load i1, ptr %carry
//   call void @__treadle_ptx_exit_if(i1 %p)           br i1 %p, label %exit, label %next
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_state.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/passes/check/source_location.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Takes every call of the function `name` to `lower`, and drops both.
template <class Lower>
void replace_calls(llvm::Module& module, const char* name, Lower&& lower) {
  llvm::Function* function = module.getFunction(name);
  if (!function) return;
  for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    lower(*call);
    call->eraseFromParent();
  }
  function->eraseFromParent();
}

/// The flag of the function that `call` stands in.
class CarryFlags {
 public:
  llvm::AllocaInst* of(llvm::CallInst& call) {
    llvm::Function* function = call.getFunction();
    llvm::AllocaInst*& flag = flags_[function];
    if (flag) return flag;
    llvm::IRBuilder<> entry(&*function->getEntryBlock().getFirstInsertionPt());
    flag = entry.CreateAlloca(entry.getInt1Ty());
    entry.CreateStore(entry.getFalse(), flag);
    return flag;
  }

 private:
  llvm::DenseMap<llvm::Function*, llvm::AllocaInst*> flags_;
};

/// A block of its own that runs where the call's condition holds and goes nowhere yet.
llvm::Instruction* branch_off(llvm::CallInst& call) {
  return llvm::SplitBlockAndInsertIfThen(call.getArgOperand(0), &call, /*Unreachable=*/true);
}

}  // namespace

void lower_ptx_state(llvm::Module& module) {
  CarryFlags flags;
  replace_calls(module, ptx_state::set_carry, [&](llvm::CallInst& call) {
    llvm::IRBuilder<>(&call).CreateStore(call.getArgOperand(0), flags.of(call));
  });
  replace_calls(module, ptx_state::carry, [&](llvm::CallInst& call) {
    llvm::IRBuilder<> builder(&call);
    call.replaceAllUsesWith(builder.CreateLoad(builder.getInt1Ty(), flags.of(call)));
  });
  replace_calls(module, ptx_state::trap_if, [&](llvm::CallInst& call) {
    llvm::IRBuilder<> builder(branch_off(call));
    builder.CreateCall(module.getOrInsertFunction("__treadle_trap", builder.getVoidTy()));
  });
  replace_calls(module, ptx_state::exit_if, [&](llvm::CallInst& call) {
    // Kernels alone can be seen from outside.
    if (call.getFunction()->hasLocalLinkage())
      throw BackendError(diagnostic_at(
          call,
          "inline PTX cannot run on the CPU device: \"exit\" inside a function that is "
          "recursive or called through a pointer"));
    llvm::ReplaceInstWithInst(branch_off(call), llvm::ReturnInst::Create(module.getContext()));
  });
}

}  // namespace treadle::cuda_cpu
