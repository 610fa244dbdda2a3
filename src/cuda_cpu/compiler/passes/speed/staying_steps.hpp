// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>

#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"

namespace treadle::cuda_cpu {

struct KernelBody;
struct RegionFunction;

/// A step of a loop in the copy for threads that all stay in the loop.
class StayingStep {
 public:
  /// `number`: of the region, which is a step that has indices.
  StayingStep(const KernelBody& body, const RegionFunction& region, unsigned number);
  /// The copy, whose caller takes care of it; null where the indices do not decide who stays.
  llvm::Function* function() const { return copy_; }
  /// Under which all threads of a row stay, if its indices count from the first thread's.
  const RowConditions& conditions() const { return conditions_; }
  /// How far the region's one index is ahead in the next step, in its own type; `first`: what the
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
