// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class Function;
class GlobalVariable;
class IRBuilderBase;
class Module;
class Value;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Whether the program declared it, and no header of ours.
bool is_program_own(const llvm::GlobalVariable& variable);

/// Where each `__shared__` variable lies in a block's shared memory.
class SharedMemory {
 public:
  /// Finds the variables of `module` and lays out those that functions reached through pointers
  /// or recursion use: these have one place, the same for every kernel.
  SharedMemory(llvm::Module& module, const ModulePlan& plan);

  /// Lays out the rest for `kernel`, before its body is lowered: fills in its shared memory sizes.
  /// `calls_functions`: the kernel may reach functions that were not inlined.
  void plan_kernel(KernelPlan& kernel, bool calls_functions);

  /// Whether `function` itself names a shared variable.
  bool used_in(const llvm::Function& function) const;

  /// Replaces the variables in `function` by offsets from `base`; dynamic ones lie at
  /// `dynamic_offset`, which is made only if needed.
  void lower(llvm::Function& function, llvm::Value* base,
             llvm::function_ref<llvm::Value*(llvm::IRBuilderBase&)> dynamic_offset);

  /// Drops the variables when nothing uses them any more.
  void erase();

 private:
  bool used_in(const llvm::Function& function, const llvm::GlobalVariable& variable) const;
  /// Bytes from the start of a block's shared memory.
  struct Extent {
    std::uint64_t all = 0;
    std::uint64_t program = 0;  ///< as if the program's own variables were alone
  };
  void place(llvm::GlobalVariable& variable, Extent& extent);

  llvm::SmallVector<llvm::GlobalVariable*, 8> variables_;
  llvm::DenseMap<const llvm::GlobalVariable*, std::uint64_t> offsets_;
  llvm::SmallVector<llvm::GlobalVariable*, 4> common_;  ///< those of functions not inlined
  Extent common_extent_;
  bool common_dynamic_ = false;
};

}  // namespace treadle::cuda_cpu
