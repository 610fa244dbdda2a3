// SPDX-License-Identifier: MIT
// Shared memory: a block's `__shared__` variables become offsets into one piece of memory
// that the run-time gives to each worker. Static ones come first, the dynamic ones (`extern`, all
// at one address, as in CUDA) follow.
//
//   @a = internal addrspace(3) global [32 x float] undef
//   @d = external addrspace(3) global [0 x float]
//   %x = load float, ptr addrspace(3) @a       =>    %x = load float, ptr (%shared + 0)
//   %y = load float, ptr addrspace(3) @d             %y = load float, ptr (%shared + 128)
//
// What the headers declare for warp operations lies there too, but is no memory of the program:
//
//   |<-- static_shared -->|<-- exchange_shared -->|<-- dynamic, as launched -->|
//   program's variables    __treadle_exchange      @d
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "cuda_cpu/compiler/passes/address_spaces.hpp"

namespace treadle::cuda_cpu {
namespace {

// Rows of shared tiles are what block loops load: start them on a vector boundary.
constexpr std::uint64_t minimum_alignment = 16;
constexpr std::uint64_t dynamic_alignment = 64;

bool is_dynamic(const llvm::GlobalVariable& variable) { return variable.isDeclaration(); }

}  // namespace

bool is_program_own(const llvm::GlobalVariable& variable) {
  return !variable.getName().contains("__treadle_");
}

SharedMemory::SharedMemory(llvm::Module& module, const ModulePlan& plan) {
  llvm::SmallVector<llvm::Constant*, 8> constants;
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == shared_address_space) {
      variables_.push_back(&variable);
      constants.push_back(&variable);
    }
  std::stable_partition(variables_.begin(), variables_.end(),
                        [](const auto* variable) { return is_program_own(*variable); });
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
      place(*variable, common_extent_);
    }
  }
}

void SharedMemory::place(llvm::GlobalVariable& variable, Extent& extent) {
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  const std::uint64_t alignment =
      std::max(minimum_alignment, variable.getAlign().valueOrOne().value());
  const std::uint64_t size = layout.getTypeAllocSize(variable.getValueType());
  const std::uint64_t offset = llvm::alignTo(extent.all, alignment);
  offsets_[&variable] = offset;
  extent.all = offset + size;
  if (is_program_own(variable)) extent.program = llvm::alignTo(extent.program, alignment) + size;
}

void SharedMemory::plan_kernel(KernelPlan& kernel, bool calls_functions) {
  kernel.dynamic_shared = calls_functions && common_dynamic_;
  bool takes_common = calls_functions;
  for (llvm::GlobalVariable* variable : variables_) {
    if (!used_in(*kernel.function, *variable)) continue;
    kernel.dynamic_shared |= is_dynamic(*variable);
    takes_common |= llvm::is_contained(common_, variable);
  }
  Extent extent = takes_common ? common_extent_ : Extent{};
  for (llvm::GlobalVariable* variable : variables_)
    if (!is_dynamic(*variable) && !llvm::is_contained(common_, variable) &&
        used_in(*kernel.function, *variable))
      place(*variable, extent);
  if (kernel.dynamic_shared) extent.all = llvm::alignTo(extent.all, dynamic_alignment);
  kernel.static_shared = extent.program;
  kernel.exchange_shared = extent.all - extent.program;
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
