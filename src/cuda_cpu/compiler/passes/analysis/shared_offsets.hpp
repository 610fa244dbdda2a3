// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <cstdint>

namespace llvm {
class Instruction;
class Type;
class Value;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct KernelBody;

/// `constant + factor * symbol + ...`: symbols are values that are no such sums themselves.
struct LinearForm {
  struct Term {
    const llvm::Value* symbol;
    std::int64_t factor;
  };
  std::int64_t constant = 0;
  llvm::SmallVector<Term, 4> terms;

  /// Not 0 where the sum n stands for `n + (n >> padding)`: an element is left out now and then,
  /// against bank conflicts. Equal and greater sums stand for equal and greater ones.
  unsigned padding = 0;

  void add(const llvm::Value& value, std::int64_t factor);
  void add_symbol(const llvm::Value& symbol, std::int64_t factor);
  void subtract(const LinearForm& other);
  /// Finds `padding`.
  void find_padding();
};

/// Whether two values are computed alike, and so equal wherever their operands are.
bool same_value(const llvm::Value& one, const llvm::Value& other);

/// An access to memory, and which of its sides count.
struct SharedAccess {
  llvm::Instruction* instruction = nullptr;
  const llvm::Value* pointer = nullptr;
  std::int64_t size = 0;  ///< bytes
  bool reads = false, writes = false, atomic = false;

  /// The variable, as its address in `body`, or another pointer that could lead to any.
  const llvm::Value* base = nullptr;
  LinearForm bytes = {};  ///< from the base
  LinearForm array = {};  ///< from the base to what the last indices count from
  /// Where the address is one element of a variable that is an array: its indices, the last one in
  /// bytes. `shape` is the array's type, and null elsewhere.
  llvm::Type* shape = nullptr;
  llvm::SmallVector<LinearForm, 3> indices = {};
};

/// The accesses of `body` to the program's own shared memory, in the order of the code; calls of
/// functions that may access it are among them.
llvm::SmallVector<SharedAccess, 16> shared_accesses(const KernelBody& body);

}  // namespace treadle::cuda_cpu
