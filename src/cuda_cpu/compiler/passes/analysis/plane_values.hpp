// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"

namespace treadle::cuda_cpu {

struct KernelBody;

/// Rows of threads that follow each other.
enum class Rows { of_block, of_blocks };  ///< along y; the same row of blocks along x

/// How values of a function for one thread differ between such rows.
class PlaneValues {
 public:
  PlaneValues(const KernelBody& body, Rows rows);

  /// The same in all rows; a number more from row to row, which is the same for all rows, modulo
  /// 2^bits; anything.
  enum class Kind { uniform, affine, other };
  Kind kind(const llvm::Value* value);
  bool uniform(const llvm::Value* value) { return kind(value) == Kind::uniform; }

 private:
  Kind compute(const llvm::Instruction& value);
  Kind of_sum(const llvm::User& value);
  Kind of_load(const llvm::LoadInst& load) const;

  const KernelBody& body_;
  const Rows rows_;
  llvm::DenseMap<const llvm::Value*, Kind> kinds_;
};

/// The first threads of the first two rows, and how far away the last ones are. An integer that
/// grows by constants along both is in between everywhere if it is at the four corners.
struct PlaneCorners {
  Rematerializer &of_first, &of_next;
  llvm::Value *last_x, *last_row;  ///< i32

  /// i1: `value`, which grows by `stride` from thread to thread, wraps nowhere.
  llvm::Value* fit(llvm::IRBuilder<>& builder, llvm::Value* value, std::int64_t stride,
                   bool is_signed) const;
  /// i1: nor that, and `predicate` holds everywhere between it and `limit`, which all share.
  llvm::Value* hold(llvm::IRBuilder<>& builder, llvm::CmpInst::Predicate predicate,
                    llvm::Value* value, std::int64_t stride, llvm::Value* limit) const;

 private:
  struct Corners {
    llvm::Value* fit;        ///< i1
    llvm::Value* values[4];  ///< of the value's type
  };
  Corners corners(llvm::IRBuilder<>& builder, llvm::Value* value, std::int64_t stride,
                  bool is_signed) const;
};

}  // namespace treadle::cuda_cpu
