// SPDX-License-Identifier: MIT
// Device functions: recursive functions, those behind function pointers and virtual ones
// stay functions. Their callers know nothing of them, so they take no hidden arguments; one that
// uses threadIdx or shared memory asks the run-time for the context of the worker it runs on.
// Kernels that may call such functions store threadIdx there before each thread (block_function,
// barrier_regions).
//
//   define i32 @walk(i32 %n) {                        define i32 @walk(i32 %n) {
//     %t = call i32 @__treadle_thread_index(i32 0)      %context = call ptr %current()
//     ...                                         =>    %t = load i32, ptr %context
#include "cuda_cpu/compiler/passes/lowering/device_functions.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/lowering/services.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr const char* shared_attribute = "treadle-names-shared";

bool uses_index(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (is_index(marker_of(instruction))) return true;
  return false;
}

void lower_indices(llvm::Function& function, llvm::Value* context) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const Marker marker = marker_of(instruction);
    if (!is_index(marker)) continue;
    auto& call = llvm::cast<llvm::CallBase>(instruction);
    llvm::IRBuilder<> builder(&call);
    call.replaceAllUsesWith(
        load_context_u32(builder, context, index_offset(marker, dimension_of(call))));
    call.eraseFromParent();
  }
}

void lower_device_function(llvm::Function& function, SharedMemory& shared) {
  // The kernel that called has said which thread runs.
  lower_services(function, is_service, [](llvm::IRBuilderBase&) {});
  const bool uses_shared = shared.used_in(function);
  if (!uses_shared && !uses_index(function)) return;
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Value* context = current_context(builder, *function.getParent());
  lower_indices(function, context);
  if (!uses_shared) return;
  function.addFnAttr(shared_attribute);
  llvm::Value* base = load_context_pointer(builder, context, offsetof(BlockContext, shared));
  shared.lower(function, base, [&](llvm::IRBuilderBase& at) {
    return at.CreateZExt(
        load_context_u32(at, context, offsetof(BlockContext, dynamic_shared_offset)),
        at.getInt64Ty());
  });
}

}  // namespace

bool calls_functions(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || call->isInlineAsm()) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee || !callee->isDeclaration()) return true;
  }
  return false;
}

bool names_shared_memory(const llvm::Function& function) {
  return function.hasFnAttribute(shared_attribute);
}

void lower_device_functions(llvm::Module& module, const ModulePlan& plan, SharedMemory& shared) {
  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  for (const KernelPlan& kernel : plan.kernels) kernels.insert(kernel.function);
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !kernels.contains(&function))
      lower_device_function(function, shared);
}

}  // namespace treadle::cuda_cpu
