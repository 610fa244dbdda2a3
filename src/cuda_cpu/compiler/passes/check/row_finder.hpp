// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "cuda_cpu/compiler/passes/analysis/plane_values.hpp"
#include "cuda_cpu/compiler/passes/analysis/row_conditions.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class BasicBlock;
class CallInst;
class GlobalVariable;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// What a row of threads asks for at one place: an access, or a step, which has no address.
struct RowEntry {
  llvm::GlobalVariable* access = nullptr;  ///< CheckedAccess
  const llvm::BasicBlock* block = nullptr;
  llvm::Value *address = nullptr, *base = nullptr;
  std::uint64_t size = 0, align = 1;
  std::int64_t stride = 0, offset = 0;  ///< bytes; `offset` is added to the address
  std::uint32_t step = 0, flags = 0, ignore = 0;

  // Under which conditions a thread does it.
  bool has_conditions = false;
  bool has_gap = false;                         ///< some thread in the middle may be left out
  RowConditions conditions = {}, varying = {};  ///< `varying` from row to row
  /// `answer`: the two have to be equal, in one thread of a row if it `is_split`.
  struct Equality {
    llvm::Value *value, *limit;
    bool answer, is_split, is_varying;
    bool may_leave_gap() const { return is_split && !answer; }
  };
  llvm::SmallVector<Equality, 1> equalities = {};

  /// Integers on the way to a value that become wider, and their strides, 0 if only rows differ.
  using Widened = llvm::SmallVector<std::pair<llvm::Value*, std::int64_t>, 2>;
  Widened widened = {};  ///< on the way to the address

  // In several rows.
  bool is_planar = true;  ///< who does it, and where, is told by what the first two rows do
  /// Instead of what varies from row to row: these hold in all of them.
  struct Everywhere {
    llvm::CmpInst::Predicate predicate;
    llvm::Value* value;
    std::int64_t stride;
    llvm::Value* limit;
    Widened widened;  ///< on the way to `value`
  };
  llvm::SmallVector<Everywhere, 2> everywhere = {};
};

struct RowEntries {
  llvm::SmallVector<RowEntry, 8> all;
  /// Of reads, as long as all threads of the block run here.
  bool ignores_races = false;
  bool are_planar = true;
};

/// CheckFlags of a call of Marker::check_access; empty where LLVM has made one call of two, which
/// tells them apart by a value.
std::optional<std::uint32_t> flags_of_check(const llvm::CallInst& check);

/// The checks in `body`'s function, if what is checked can be told before a row runs. `alone`: as
/// for RowChecks.
std::optional<RowEntries> find_row_entries(const KernelBody& body, Rows rows, bool alone);

}  // namespace treadle::cuda_cpu
