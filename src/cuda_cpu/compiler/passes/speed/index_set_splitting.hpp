// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"

namespace treadle::cuda_cpu {

struct KernelBody;

/// The copy of a body without barriers for the threads of a row that pass its guards, as in
/// `if (i < n) { ... }`.
class IndexSetSplit {
 public:
  explicit IndexSetSplit(const KernelBody& body);
  /// The copy, whose caller takes care of it; null where no guard compares a consecutive index.
  llvm::Function* function() const { return copy_; }
  /// Under which all threads of a row pass.
  const RowConditions& conditions() const { return conditions_; }

 private:
  llvm::Function* copy_ = nullptr;
  RowConditions conditions_;
};

}  // namespace treadle::cuda_cpu
