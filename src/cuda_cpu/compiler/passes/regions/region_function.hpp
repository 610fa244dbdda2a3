// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace llvm {
class IRBuilderBase;
}  // namespace llvm

namespace treadle::cuda_cpu {

class LiveValues;
class RegionGraph;
struct Slot;

/// One region for one thread: `i8 region(body parameters..., i32 thread, i32 padded thread count,
/// ptr uniform frame, ptr varying frame, ptr local memory, uniform values..., indices...)`; returns
/// where the thread goes next.
struct RegionFunction {
  llvm::Function* function = nullptr;
  llvm::SmallVector<const Slot*, 8>
      uniform_values;  ///< loaded by the caller, before any thread runs
  llvm::SmallVector<const Slot*, 2>
      indices;  ///< of the thread; loaded or computed by the caller (consecutive_indices.hpp)
  /// What the region leaves in their slots for its next iteration; null where it does not.
  llvm::SmallVector<llvm::Value*, 2> next_indices;
};

/// Where a thread keeps `slot`, which is not uniform.
llvm::Value* varying_address(llvm::IRBuilderBase& builder, const Slot& slot, llvm::Value* frame,
                             llvm::Value* padded_count, llvm::Value* thread);

/// Per-thread memory for the local arrays of a body that has regions.
struct LocalMemory {
  llvm::DenseMap<const llvm::Instruction*, std::uint64_t> offsets;
  std::uint64_t size = 0;  ///< bytes per thread
};

LocalMemory plan_local_memory(const KernelBody& body);

/// `indices`: slots whose values the caller gives (consecutive_indices.hpp).
RegionFunction make_region_function(const KernelBody& body, const RegionGraph& graph,
                                    const LiveValues& live, const LocalMemory& local,
                                    unsigned region, llvm::ArrayRef<const Slot*> indices);

}  // namespace treadle::cuda_cpu
