// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>

#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"

namespace treadle::cuda_cpu {

struct KernelBody;
struct RegionFunction;

/// The copy of a strip of a loop for threads that all stay in the loop to its end.
class FullStrip {
 public:
  /// `number`: of the region, which is a strip that has indices.
  FullStrip(const KernelBody& body, const RegionFunction& region, unsigned number);
  /// The copy, whose caller takes care of it; null where the indices do not decide who leaves.
  llvm::Function* function() const { return copy_; }
  /// Under which no thread of a row leaves, if the row's indices are consecutive.
  const RowConditions& conditions() const { return conditions_; }
  /// How much the region's one index grows until the next strip, in its own type; `first`: what the
  /// first thread gives the region's parameters, in order; null for y and z. Null where there are
  /// more.
  llvm::Value* index_distance(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> first) const;

 private:
  llvm::Function* copy_ = nullptr;
  // Of the region that was copied:
  RowConditions conditions_;
  llvm::Value *index_ = nullptr, *next_index_ = nullptr;
};

}  // namespace treadle::cuda_cpu
