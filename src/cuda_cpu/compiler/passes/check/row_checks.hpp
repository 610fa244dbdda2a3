// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class BasicBlock;
class Constant;
class Function;
class GlobalVariable;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// The checks of a body, or of a region of it as a function, asked for all threads of a row in one
/// call.
class RowChecks {
 public:
  /// Checks are still calls of markers. `alone`: what the threads of a block do here is apart, by
  /// barriers of the block, from all that they do elsewhere.
  RowChecks(const KernelBody& body, llvm::Function& function, bool alone);

  /// A copy without checks, for rows that pass; null where what is checked cannot be told before
  /// the row runs. The caller takes care of it.
  llvm::Function* unchecked() const { return unchecked_; }
  KernelBody unchecked_body() const;

  /// Some neighbours in a row of threads.
  struct Row {
    llvm::ArrayRef<llvm::Value*> of_first;  ///< what it gives the function's parameters
    llvm::Value* count;                     ///< i32, of the threads
    llvm::Value* thread;                    ///< i32, the first one's number in the block
    llvm::Value* context;                   ///< BlockContext
  };
  /// i1: all pass, and what they do is noted. If not, nothing is.
  llvm::Value* pass(llvm::IRBuilder<>& builder, const Row& row) const;

 private:
  /// `answer`: the two have to be equal, in one thread of a row if it `is_split`.
  struct Equality {
    llvm::Value *value, *limit;
    bool answer, is_split;
  };
  /// Of an access, or of a step, which has no address.
  struct Entry {
    llvm::GlobalVariable* access = nullptr;  ///< CheckedAccess
    const llvm::BasicBlock* block = nullptr;
    llvm::Value *address = nullptr, *base = nullptr;
    std::uint64_t size = 0, align = 1;
    std::int64_t stride = 0, offset = 0;  ///< bytes; `offset` is added to the address
    std::uint32_t step = 0, flags = 0, ignore = 0;
    bool has_conditions = false;  ///< under which a thread does it
    RowConditions conditions = {};
    llvm::SmallVector<Equality, 1> equalities = {};
    /// Integers on the way to the address that become wider, and their strides.
    llvm::SmallVector<std::pair<llvm::Value*, std::int64_t>, 2> widened = {};
  };
  class Finder;
  RowConditions::Range threads_of(llvm::IRBuilder<>& builder, const Row& row,
                                  const Entry& entry) const;
  llvm::SmallVector<llvm::Value*, 24> parameters_of(llvm::IRBuilder<>& builder, const Row& row,
                                                    llvm::Value* distance) const;
  llvm::Value* emit_place(llvm::IRBuilder<>& builder, const Row& row, const Entry& entry,
                          llvm::Value* place) const;
  llvm::Constant* table(llvm::Module& module) const;

  const KernelBody body_;  ///< whose function is the one that is checked
  llvm::Function& function_;
  llvm::Function* unchecked_ = nullptr;
  bool ignores_races_ = false;  ///< of reads, as long as all threads of the block run here
  llvm::SmallVector<Entry, 8> entries_;
};

}  // namespace treadle::cuda_cpu
