// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>

#include <memory>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class CallBase;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// A kernel body cut into regions. The blocks stay where they are: a block that ends at a barrier
/// still branches to the one behind it, but walks of a region stop there.
class RegionGraph {
 public:
  struct Region {
    llvm::BasicBlock* start = nullptr;
    BarrierKind barrier = BarrierKind::block;         ///< the one in front
    llvm::SmallVector<llvm::BasicBlock*, 16> blocks;  ///< reachable without a barrier, start first
  };

  /// Removes the barrier calls of `body`; throws BackendError beyond max_regions.
  RegionGraph(const KernelBody& body, const std::string& kernel_name);

  const llvm::SmallVector<Region, 8>& regions() const { return regions_; }
  /// The region behind the barrier at the end of `block`; 0 if there is none.
  unsigned region_after(const llvm::BasicBlock* block) const { return after_.lookup(block); }
  /// Successors within the region: none for a block that ends at a barrier.
  llvm::SmallVector<llvm::BasicBlock*, 2> successors(llvm::BasicBlock* block) const;
  /// Where a thread that reaches the end of `block` leaves the region to: a region's number or
  /// region_exited; -1 if it stays.
  int exit_of(const llvm::BasicBlock* block) const;
  /// Loops of the whole body, with barriers in them. Found when they are first asked for: the body
  /// must be as it was cut.
  const llvm::LoopInfo& loops() const;

 private:
  void split(llvm::CallBase& barrier);
  void collect_blocks(Region& region) const;

  llvm::SmallVector<Region, 8> regions_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> after_;
  mutable std::unique_ptr<llvm::LoopInfo> loops_;
};

}  // namespace treadle::cuda_cpu
