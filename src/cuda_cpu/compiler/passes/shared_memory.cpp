// SPDX-License-Identifier: MIT
// Pass 6, shared memory: a block's `__shared__` variables become offsets into one piece of memory
// that the run-time gives to each worker. Static ones come first, the dynamic ones (`extern`, all
// at one address, as in CUDA) follow.
//
//   @a = internal addrspace(3) global [32 x float] undef
//   @d = external addrspace(3) global [0 x float]
//   %x = load float, ptr addrspace(3) @a       =>    %x = load float, ptr (%shared + 0)
//   %y = load float, ptr addrspace(3) @d             %y = load float, ptr (%shared + 128)
#include "cuda_cpu/compiler/passes/shared_memory.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace treadle::cuda_cpu {
namespace {

constexpr unsigned shared_address_space = 3;
// Rows of shared tiles are what block loops load: start them on a vector boundary.
constexpr std::uint64_t minimum_alignment = 16;
constexpr std::uint64_t dynamic_alignment = 64;

bool is_dynamic(const llvm::GlobalVariable& variable) { return variable.isDeclaration(); }

}  // namespace

SharedMemory::SharedMemory(llvm::Module& module, const ModulePlan& plan) {
  llvm::SmallVector<llvm::Constant*, 8> constants;
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == shared_address_space) {
      variables_.push_back(&variable);
      constants.push_back(&variable);
    }
  llvm::convertUsersOfConstantsToInstructions(constants);

  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  for (const KernelPlan& kernel : plan.kernels) kernels.insert(kernel.function);
  for (const llvm::Function& function : module) {
    if (kernels.contains(&function)) continue;
    for (llvm::GlobalVariable* variable : variables_) {
      if (!used_in(function, *variable)) continue;
      common_dynamic_ |= is_dynamic(*variable);
      if (is_dynamic(*variable) || llvm::is_contained(common_, variable)) continue;
      common_.push_back(variable);
      common_size_ = place(*variable, common_size_);
    }
  }
}

std::uint64_t SharedMemory::place(llvm::GlobalVariable& variable, std::uint64_t end) {
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  const std::uint64_t alignment =
      std::max(minimum_alignment, variable.getAlign().valueOrOne().value());
  const std::uint64_t offset = llvm::alignTo(end, alignment);
  offsets_[&variable] = offset;
  return offset + layout.getTypeAllocSize(variable.getValueType());
}

void SharedMemory::plan_kernel(KernelPlan& kernel, bool calls_functions) {
  std::uint64_t end = calls_functions ? common_size_ : 0;
  kernel.dynamic_shared = calls_functions && common_dynamic_;
  for (llvm::GlobalVariable* variable : variables_) {
    if (!used_in(*kernel.function, *variable)) continue;
    if (is_dynamic(*variable))
      kernel.dynamic_shared = true;
    else if (llvm::is_contained(common_, variable))
      end = std::max(end, common_size_);
  }
  for (llvm::GlobalVariable* variable : variables_)
    if (!is_dynamic(*variable) && !llvm::is_contained(common_, variable) &&
        used_in(*kernel.function, *variable))
      end = place(*variable, end);
  kernel.static_shared = kernel.dynamic_shared ? llvm::alignTo(end, dynamic_alignment) : end;
}

bool SharedMemory::used_in(const llvm::Function& function,
                           const llvm::GlobalVariable& variable) const {
  return llvm::any_of(variable.users(), [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction && instruction->getFunction() == &function;
  });
}

bool SharedMemory::used_in(const llvm::Function& function) const {
  return llvm::any_of(variables_, [&](const llvm::GlobalVariable* variable) {
    return used_in(function, *variable);
  });
}

void SharedMemory::lower(llvm::Function& function, llvm::Value* base,
                         llvm::function_ref<llvm::Value*(llvm::IRBuilderBase&)> dynamic_offset) {
  llvm::IRBuilder<> builder(function.getContext());
  if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(base))
    builder.SetInsertPoint(instruction->getNextNode());
  else
    builder.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  for (llvm::GlobalVariable* variable : variables_) {
    if (!used_in(function, *variable)) continue;
    llvm::Value* offset = is_dynamic(*variable) ? dynamic_offset(builder)
                                                : builder.getInt64(offsets_.lookup(variable));
    llvm::Value* address = builder.CreateInBoundsGEP(builder.getInt8Ty(), base, offset,
                                                     variable->getName() + ".shared");
    llvm::Value* typed = builder.CreateAddrSpaceCast(address, variable->getType());
    variable->replaceUsesWithIf(typed, [&](llvm::Use& use) {
      auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user && user->getFunction() == &function;
    });
  }
}

void SharedMemory::erase() {
  for (llvm::GlobalVariable* variable : variables_) {
    variable->removeDeadConstantUsers();
    if (variable->use_empty()) variable->eraseFromParent();
  }
  variables_.clear();
}

}  // namespace treadle::cuda_cpu
