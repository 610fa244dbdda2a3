// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include "cuda_cpu/compiler/passes/kernel_body.hpp"

namespace treadle::cuda_cpu {

class LiveValues;
class RegionGraph;
struct Slot;

/// One region for one thread: `i8 region(body parameters..., i32 thread, i32 padded thread count,
/// ptr uniform frame, ptr varying frame, ptr local memory, uniform values...)`; returns where the
/// thread goes next.
struct RegionFunction {
  llvm::Function* function = nullptr;
  llvm::SmallVector<const Slot*, 8>
      uniform_values;  ///< loaded by the caller, before any thread runs
};

/// Per-thread memory for the local arrays of a body that has regions.
struct LocalMemory {
  llvm::DenseMap<const llvm::Instruction*, std::uint64_t> offsets;
  std::uint64_t size = 0;  ///< bytes per thread
};

LocalMemory plan_local_memory(const KernelBody& body);

RegionFunction make_region_function(const KernelBody& body, const RegionGraph& graph,
                                    const LiveValues& live, const LocalMemory& local,
                                    unsigned region);

}  // namespace treadle::cuda_cpu
