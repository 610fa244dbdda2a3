// SPDX-License-Identifier: MIT
// Entry points the run-time calls: a loop over the threads of a block around a thread's code.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ValueMap.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <string>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/speed/unroll_and_jam.hpp"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Metadata of the loops over threads, blocks and rows of a block.
inline constexpr const char* thread_loop_mark = "treadle.loop.threads";

struct ThreadPosition {
  llvm::Value *x, *y, *z;
  llvm::Value* linear;  ///< x + size.x * (y + size.y * z)
};

/// A `BlockFunction` (module_abi.h) under construction.
struct BlockEntry {
  llvm::Function* function = nullptr;
  llvm::Value* context = nullptr;
  /// What KernelBody takes, loaded once; the three thread indices are still null.
  llvm::SmallVector<llvm::Value*, 24> values;
  llvm::Value* block_size(const KernelBody& body, unsigned dimension) const {
    return values[body.user_parameters + 6 + dimension];
  }
  /// What KernelBody takes, for one thread.
  llvm::SmallVector<llvm::Value*, 24> values_at(const KernelBody& body,
                                                const ThreadPosition& at) const;
  /// From here on the code is for blocks of `width` threads along x.
  void fix_width(const KernelBody& body, unsigned width) {
    llvm::Value*& size = values[body.user_parameters + 6];
    size = llvm::ConstantInt::get(size->getType(), width);
  }
};

/// Tells LLVM that what `load` reads stays the same while a block runs, and returns it: no store of
/// a thread reaches the launch's arguments or the block's context.
llvm::Value* invariant(llvm::Value* load);

/// Creates the function and loads the arguments and indices of the block in it.
BlockEntry create_block_entry(const KernelBody& body, const std::string& name,
                              const llvm::TargetMachine& machine, llvm::IRBuilder<>& builder);

enum class LoopKind {
  parallel,   ///< threads do not depend on each other: vectorise
  estimated,  ///< the same, where LLVM expects that it pays: made beside other versions
  masked,     ///< the same for code that is under masks anyway, at less compile time
  serial,     ///< as it is written, at little compile time
};

/// Some neighbours in a row of threads, at least one, and their code.
struct RowPart {
  llvm::Value *begin, *end;  ///< i32, x of the first and behind the last
  LoopKind kind;
  llvm::function_ref<void(const ThreadPosition&)> emit;
};

/// What stands inside `for z { before_rows(first); for y { for block { before_block(number);
/// before_row(first); for x { emit(position) } } } }`; with several blocks, before_rows is inside
/// `for y`. Each leaves the builder where its code ends.
struct ThreadLoop {
  LoopKind kind = LoopKind::parallel;
  /// Distinct; memory accesses in it are free of dependences between threads.
  llvm::MDNode* group = nullptr;
  llvm::function_ref<void(const ThreadPosition&)> emit;
  /// Of threads whose x runs from 0; `first` is the first one's number in the block.
  llvm::function_ref<void(llvm::Value* first)> before_row = nullptr;
  /// So many blocks, neighbours along x, take turns row by row; null: it is one.
  llvm::Value* blocks = nullptr;
  /// Of a row of block `number` of these.
  llvm::function_ref<void(llvm::Value* number)> before_block = nullptr;
  /// With more than one row at a time `emit` is called for each, and a plane has a multiple of
  /// them.
  UnrollAndJamPlan plan{};
  /// Instead of `emit` for the threads from 0 to the end of a row: calls `run_part` for parts of
  /// the row that together hold all of its threads; of one row at a time.
  llvm::function_ref<void(const ThreadPosition& first,
                          llvm::function_ref<void(const RowPart&)> run_part)>
      emit_row = nullptr;
  /// Before all rows of threads between which only y changes; or, of several blocks, before the
  /// same row of each. `first` is the first row's first thread.
  llvm::function_ref<void(const ThreadPosition& first)> before_rows = nullptr;
};

/// Leaves the builder behind the loops.
void emit_thread_loop(llvm::IRBuilder<>& builder, const KernelBody& body, const BlockEntry& entry,
                      const ThreadLoop& loop);

/// Adds the memory accesses of `function` to `group`, beside the groups they are in. Atomic ones
/// stay out, and those to a thread's own arrays: inlined into the loop, all threads share them in
/// turn.
void join_access_group(llvm::Function& function, llvm::MDNode* group);

/// A copy whose accesses are in the same groups: a parallel loop names those that there are.
llvm::Function* copy_with_groups(llvm::Function& function, llvm::ValueToValueMapTy& copies);

}  // namespace treadle::cuda_cpu
