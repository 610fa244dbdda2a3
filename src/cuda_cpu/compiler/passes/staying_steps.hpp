// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

namespace llvm {
class ICmpInst;
}  // namespace llvm

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
  /// i1: all threads of a row stay, if its indices count from the first thread's. `first`, `last`:
  /// what its first and its last thread give the region's parameters, in order; null for y and z.
  /// `last_x`: the i32 number of the last thread.
  llvm::Value* holds(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> first,
                     llvm::ArrayRef<llvm::Value*> last, llvm::Value* last_x) const;
  /// How far the region's one index is ahead in the next step, in its own type; `first` as above.
  /// Null where there are more.
  llvm::Value* index_distance(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> first) const;

 private:
  struct Condition {
    const llvm::ICmpInst* compare;
    unsigned counted;  ///< the operand that counts; the other one is the same for the row
    bool stays;        ///< the answer of threads that stay
  };

  llvm::Function* copy_ = nullptr;
  // Of the region that was copied:
  llvm::SmallVector<Condition, 4> conditions_;
  llvm::Value *index_ = nullptr, *next_index_ = nullptr;
};

}  // namespace treadle::cuda_cpu
