// SPDX-License-Identifier: MIT
// Launch functions: a kernel that device code calls, or takes the address of, is launched
// there, so what the code names is a function that packs the arguments as CUDA does and hands
// them to the run-time. It starts the kernel with the call that says how large the grid is, which
// follows (kernel_launches.hpp).
//
//   call void @k(ptr %a, i32 %n)         =>   call void @launch.k(ptr %a, i32 %n)
//
//                                             define internal void @launch.k(ptr %a, i32 %n) {
//                                               %packed = alloca [12 x i8], align 16
//                                               store ptr %a, ptr %packed
//                                               store i32 %n, ptr (%packed + 8)
//                                               %row = load ptr, ptr @row.k
//                                               call void @__treadle_stage_launch(%row, %packed,
//                                               12)
#include "cuda_cpu/compiler/passes/lowering/launch_functions.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace treadle::cuda_cpu {
namespace {

/// The kernel's parameters as those of a device function: pointers are of any kind there.
llvm::FunctionType* type_of_calls(const llvm::Function& kernel) {
  for (const llvm::User* user : kernel.users())
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user))
      if (call->getCalledOperand() == &kernel && call->arg_size() == kernel.arg_size())
        return call->getFunctionType();
  return kernel.getFunctionType();
}

void pack_arguments(llvm::IRBuilder<>& builder, llvm::Function& function, const KernelPlan& kernel,
                    llvm::Value* packed) {
  for (llvm::Argument& argument : function.args()) {
    const ParameterPlan& parameter = kernel.parameters[argument.getArgNo()];
    llvm::Value* const place =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), packed, parameter.offset);
    const llvm::Align align = llvm::commonAlignment(llvm::Align(16), parameter.offset);
    if (parameter.kind == ParameterKind::structure)
      builder.CreateMemCpy(place, align, &argument, llvm::Align(1), parameter.size);
    else
      builder.CreateAlignedStore(&argument, place, align);
  }
}

llvm::Function* make_launch_function(llvm::Module& module, const KernelPlan& kernel,
                                     llvm::GlobalVariable& row) {
  auto* function =
      llvm::Function::Create(type_of_calls(*kernel.function), llvm::GlobalValue::InternalLinkage,
                             "launch." + kernel.name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
  auto* type = llvm::ArrayType::get(builder.getInt8Ty(), kernel.parameter_bytes);
  llvm::AllocaInst* packed = builder.CreateAlloca(type, nullptr, "packed");
  packed->setAlignment(llvm::Align(16));
  pack_arguments(builder, *function, kernel, packed);
  const llvm::FunctionCallee stage =
      module.getOrInsertFunction("__treadle_stage_launch", builder.getVoidTy(), builder.getPtrTy(),
                                 builder.getPtrTy(), builder.getInt64Ty());
  builder.CreateCall(stage, {builder.CreateLoad(builder.getPtrTy(), &row), packed,
                             builder.getInt64(kernel.parameter_bytes)});
  builder.CreateRetVoid();
  return function;
}

}  // namespace

void make_launch_functions(llvm::Module& module, ModulePlan& plan) {
  for (unsigned i = 0; i < plan.kernels.size(); ++i) {
    const KernelPlan& kernel = plan.kernels[i];
    kernel.function->removeDeadConstantUsers();
    const auto names_it = [](const llvm::Use& use) {
      return !llvm::isa<llvm::BlockAddress>(use.getUser());
    };
    if (llvm::none_of(kernel.function->uses(), names_it)) continue;
    auto* pointer = llvm::PointerType::get(module.getContext(), 0);
    auto* row = new llvm::GlobalVariable(
        module, pointer, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
        llvm::Constant::getNullValue(pointer), "row." + kernel.name);
    row->setExternallyInitialized(true);
    plan.launches.push_back({i, row->getName().str()});
    kernel.function->replaceUsesWithIf(make_launch_function(module, kernel, *row), names_it);
  }
}

}  // namespace treadle::cuda_cpu
