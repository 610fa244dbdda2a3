// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>

#include "cuda_cpu/compiler/passes/regions/live_values.hpp"

namespace treadle::cuda_cpu {

class RegionGraph;

/// What is alive, needed there or later, where a region starts: of each region.
using AliveValues = llvm::SmallVector<llvm::SmallPtrSet<const llvm::Instruction*, 16>, 8>;

/// Which slot each slot lives in: its own number, or that of one before it, which has the same
/// type. Only values that differ from thread to thread share slots.
llvm::SmallVector<unsigned, 16> slot_colors(llvm::ArrayRef<Slot> slots, const RegionGraph& graph,
                                            const AliveValues& alive);

}  // namespace treadle::cuda_cpu
