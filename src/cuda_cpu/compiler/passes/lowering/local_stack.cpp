// SPDX-License-Identifier: MIT
// Local stack: on a GPU a thread's arrays lie in local memory, apart from where it returns to. Here
// a write beyond one must not reach return addresses, saved registers or the run-time's own frames,
// which lie above it on the processor's stack. LLVM's safe-stack pass, part of code generation,
// moves the arrays that it cannot prove to be used within bounds to a second stack, which the
// run-time keeps between inaccessible pages (runtime/local_stack.hpp). Frames that stay are probed
// page by page, so that a deep stack ends in its guard page and nothing behind it.
//
//   define void @k.kernel() {                 define void @k.kernel() {
//     %a = alloca [100 x float]                 %p = call ptr @__safestack_pointer_address()
//                                        =>     %s = load ptr, ptr %p
//                                               %a = getelementptr i8, ptr %s, i32 -400
//                                               store ptr (%s - 400), ptr %p       ; and back again
#include "cuda_cpu/compiler/passes/lowering/local_stack.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

bool has_local_variables(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return llvm::isa<llvm::AllocaInst>(instruction);
  });
}

/// What LLVM calls, by its name for it.
void define_pointer_address(llvm::Module& module, const llvm::TargetMachine& machine) {
  auto* type = llvm::FunctionType::get(llvm::PointerType::get(module.getContext(), 0), false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                          "__safestack_pointer_address", module);
  set_host_attributes(*function, machine);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
  builder.CreateRet(
      builder.CreateCall(type, load_service(builder, module, offsetof(Services, local_stack))));
}

}  // namespace

void use_local_stack(llvm::Module& module, const llvm::TargetMachine& machine) {
  bool is_used = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("probe-stack", "inline-asm");
    if (!has_local_variables(function)) continue;
    function.addFnAttr(llvm::Attribute::SafeStack);
    is_used = true;
  }
  if (is_used) define_pointer_address(module, machine);
}

}  // namespace treadle::cuda_cpu
