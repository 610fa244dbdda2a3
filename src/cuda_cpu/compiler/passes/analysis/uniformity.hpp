// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

/// Which values and branches are the same for all threads of a block.
class Uniformity {
 public:
  explicit Uniformity(const KernelBody& body);
  /// Of a function whose values differ where `is_source` says so, and where those lead to.
  Uniformity(llvm::Function& function, llvm::function_ref<bool(const llvm::Value&)> is_source);
  /// May differ between threads where it is computed or where it is used.
  bool varies(const llvm::Value* value) const { return varying_.contains(value); }
  /// The branch at the end of `block` is divergent: threads may leave it differently.
  bool diverges_at_end_of(const llvm::BasicBlock* block) const {
    return diverging_.contains(block);
  }

 private:
  llvm::SmallPtrSet<const llvm::Value*, 32> varying_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> diverging_;
};

}  // namespace treadle::cuda_cpu
