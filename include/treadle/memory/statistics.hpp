// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace treadle::memory {

/// What a pool has, at one moment. A block is one piece of memory from the allocator: *active*
/// while an allocation of the pool's user owns it, *held* while it waits in the pool to be used
/// again, and *managed* in either case. After stop_holding() nothing is held.
struct Statistics {
  std::size_t held_blocks = 0;    ///< ready to be used again
  std::size_t active_blocks = 0;  ///< owned by allocations
  /// Bytes of held blocks, as the allocator was asked for them.
  std::size_t held_bytes = 0;
  /// Bytes of active blocks, as the user asked for them: less than what the blocks take.
  std::size_t active_bytes = 0;
  /// Bytes of held and active blocks, as the allocator was asked for them.
  std::size_t managed_bytes = 0;
};

/// One active block, for reports.
struct LiveAllocation {
  std::size_t size_bytes;  ///< as the user asked for it
  std::string site;        ///< where it was asked for, for example "solver.cpp:120"
};

}  // namespace treadle::memory
