// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

/// Whether a launch with blocks of `size_x` threads in x runs region by region. Kernels without
/// barriers do so for better vectorisation, which takes a row that is long enough.
inline bool runs_regions(const Kernel& kernel, unsigned size_x) {
  constexpr unsigned shortest_row = 16;
  return (kernel.flags & kernel_has_barrier) != 0 ||
         ((kernel.flags & kernel_has_steps) != 0 && size_x >= shortest_row);
}

/// BarrierKind in front of each region, by region number: the scheduler's inner loop reads it per
/// thread.
using BarrierKinds = std::array<std::uint8_t, 256>;
BarrierKinds barrier_kinds(const Kernel& kernel);

/// One block of a kernel that has barriers, and what runs it.
struct BlockRun {
  const Kernel& kernel;
  const BarrierKinds& kinds;
  void** arguments;
  BlockContext& block;
  /// Rounds in which threads only waited for others, after which the block leaves; 0: never.
  unsigned patience = 0;
};

/// Why the threads of a block stopped.
enum class BlockPause : std::uint8_t {
  finished,  ///< all have exited
  at_grid,   ///< all that have not wait at a grid barrier
  waiting    ///< BlockRun::patience is used up: another block may have to run first
};

/// Rules that a test can switch off, to see whether it would notice: threads then do not wait.
enum SwitchedOffRule : unsigned { named_lanes_rule = 1, whole_block_rule = 2 };

/// Runs the block from its start.
BlockPause start_block(const BlockRun& run);
/// Goes on where the block stopped: behind the grid barrier, or with the wait.
BlockPause resume_block(const BlockRun& run, BlockPause stopped_by);

}  // namespace treadle::cuda_cpu
