// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "cuda_cpu/compiler/passes/check/row_finder.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class Constant;
class Function;
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// The checks of a body, or of a region of it as a function, asked for all threads of a row in one
/// call.
class RowChecks {
 public:
  /// Checks are still calls of markers. `rows`: which may ask together. `alone`: what the threads
  /// of a block do here is apart, by barriers of the block, from all that they do elsewhere.
  RowChecks(const KernelBody& body, llvm::Function& function, Rows rows, bool alone);

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
  /// i1: all pass, and what they do is noted. If not, nothing is. `is_noted`: an i1, as all_pass()
  /// gives it for rows of which this is one; or null.
  llvm::Value* pass(llvm::IRBuilder<>& builder, const Row& row, llvm::Value* is_noted) const;
  /// i1: so many rows pass, of which `row`, a whole one, is the first; false if it is alone. If
  /// not, each of them may still.
  llvm::Value* all_pass(llvm::IRBuilder<>& builder, const Row& row, llvm::Value* rows) const;

 private:
  /// The other rows.
  struct Following {
    llvm::ArrayRef<llvm::Value*> of_next;  ///< what the next row's first thread gives
    llvm::Value* rows;                     ///< i32, all of them
  };
  struct Meeting;
  struct Threads;
  Meeting meeting(llvm::IRBuilder<>& builder, const Row& row,
                  const RowEntry::Equality& equality) const;
  RowConditions::Range by_equality(llvm::IRBuilder<>& builder, const Row& row,
                                   const RowEntry::Equality& equality) const;
  void leave_gaps(llvm::IRBuilder<>& builder, const Row& row, const RowEntry& entry,
                  Threads& threads, bool is_planar) const;
  Threads threads_of(llvm::IRBuilder<>& builder, const Row& row, const RowEntry& entry,
                     bool is_planar) const;
  llvm::SmallVector<llvm::Value*, 24> parameters_of(llvm::IRBuilder<>& builder, const Row& row,
                                                    llvm::Value* distance) const;
  struct Place;
  llvm::Value* emit_place(llvm::IRBuilder<>& builder, const Row& row, const Place& place,
                          const Following* following) const;
  llvm::Value* emit_places(llvm::IRBuilder<>& builder, const Row& row, llvm::Value* places,
                           const Following* following) const;
  static llvm::Value* ask_unless(llvm::IRBuilder<>& builder, llvm::Value* is_known, bool answer,
                                 llvm::function_ref<llvm::Value*()> ask);
  llvm::Value* ask(llvm::IRBuilder<>& builder, const Row& row, const Following* following) const;
  llvm::Constant* table(llvm::Module& module) const;

  const KernelBody body_;  ///< whose function is the one that is checked
  const Rows rows_;
  llvm::Function* unchecked_ = nullptr;
  RowEntries entries_;
};

}  // namespace treadle::cuda_cpu
