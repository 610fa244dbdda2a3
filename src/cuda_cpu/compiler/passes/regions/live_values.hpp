// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {

class RegionGraph;
class Uniformity;

/// A place in a frame for a value that outlives its region.
struct Slot {
  llvm::Instruction* value = nullptr;
  llvm::Type* memory_type = nullptr;  ///< the value's, or for odd integers the next whole bytes
  bool uniform = false;               ///< one for the block, not one per thread
  std::uint64_t offset = 0;           ///< bytes; varying: per thread, see slot_address
};

/// Which values each region needs from earlier ones, and how it gets them.
class LiveValues {
 public:
  /// `apart`: see divergent_regions. What is computed there is not the same for all threads.
  LiveValues(const KernelBody& body, const RegionGraph& graph, const Uniformity& uniformity,
             const llvm::BitVector& apart);

  /// Values region `region` reads before, or instead of, computing them; in the order of the code.
  llvm::ArrayRef<llvm::Instruction*> needed_by(unsigned region) const { return needed_[region]; }
  /// The slot of `value`; null when it is cheaper to compute it again from kernel arguments.
  const Slot* slot_of(const llvm::Instruction* value) const;
  llvm::ArrayRef<Slot> slots() const { return slots_; }
  std::uint64_t uniform_size() const { return uniform_size_; }
  std::uint64_t varying_size() const { return varying_size_; }

 private:
  void find_needed(const KernelBody& body, const RegionGraph& graph);
  unsigned cost(const KernelBody& body, llvm::Value* value, unsigned depth);
  void add_slot(llvm::Instruction& value, bool uniform);

  llvm::SmallVector<llvm::SmallVector<llvm::Instruction*, 8>, 8> needed_;
  llvm::DenseMap<const llvm::Value*, unsigned> costs_;
  llvm::SmallVector<Slot, 16> slots_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> slot_index_;
  std::uint64_t uniform_size_ = 0, varying_size_ = 0;
};

}  // namespace treadle::cuda_cpu
