// SPDX-License-Identifier: MIT
// Thread functions, with --treadle-fibers and for the check `determinism` only: the kernel as the
// text has it, for one thread, beside what later passes make of it. A barrier is a call of the
// run-time, which goes on with another thread on another stack (fiber_scheduler.hpp). Slow, and so
// simple that what regions compute is compared with it.
//
//   define internal void @body.k(...) {          define void @thread.k(ptr %args, ptr %context) {
//     store i32 %v, ptr %s                          %x = load i32, ptr %context      ; threadIdx.x
//     call void @__treadle_barrier(i32 1)    =>     store i32 %v, ptr %s
//     %w = load i32, ptr %t                         call void %meet(ptr %context, i32 1, i32 0)
#include "cuda_cpu/compiler/passes/lowering/thread_function.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"
#include "cuda_cpu/compiler/passes/regions/lockstep.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

void call_run_time_at_barriers(const KernelBody& body) {
  llvm::Module& module = *body.function->getParent();
  llvm::IRBuilder<> builder(module.getContext());
  auto* type = llvm::FunctionType::get(
      builder.getVoidTy(), {builder.getPtrTy(), builder.getInt32Ty(), builder.getInt32Ty()}, false);
  std::uint32_t place = 0;
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(*body.function))) {
    if (marker_of(instruction) != Marker::barrier) continue;
    auto& barrier = llvm::cast<llvm::CallBase>(instruction);
    builder.SetInsertPoint(&barrier);
    llvm::CallInst* meet =
        builder.CreateCall(type, load_service(builder, module, offsetof(Services, meet)),
                           {body.context(), barrier.getArgOperand(0), builder.getInt32(place++)});
    meet->setDoesNotThrow();
    // Still the barrier that it was: in no other branch, and not twice.
    meet->addFnAttr(llvm::Attribute::Convergent);
    meet->addFnAttr(llvm::Attribute::NoDuplicate);
    barrier.eraseFromParent();
  }
}

KernelBody copy_of(const KernelBody& body) {
  KernelBody copy = body;
  llvm::ValueToValueMapTy values;
  copy.function = llvm::CloneFunction(body.function, values);
  return copy;
}

}  // namespace

void make_thread_function(KernelPlan& kernel, const KernelBody& body,
                          const llvm::TargetMachine& machine, PassRunner& runner) {
  const KernelBody copy = copy_of(body);
  lower_services_for_threads(copy, *copy.function, is_check);
  keep_lockstep(copy, runner, ThreadOrder::any);
  call_run_time_at_barriers(copy);
  llvm::IRBuilder<> builder(body.function->getContext());
  BlockEntry entry = create_block_entry(copy, "thread." + kernel.name, machine, builder);
  for (unsigned dimension = 0; dimension < 3; ++dimension)
    entry.values[body.user_parameters + dimension] =
        load_context_u32(builder, entry.context, index_offset(Marker::thread_index, dimension));
  llvm::CallInst* call = builder.CreateCall(copy.function, entry.values);
  builder.CreateRetVoid();
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false);
  copy.function->eraseFromParent();
  entry.function->addFnAttr(llvm::Attribute::OptimizeForSize);
  kernel.thread = entry.function;
}

}  // namespace treadle::cuda_cpu
