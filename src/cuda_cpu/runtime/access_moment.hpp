// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {

inline constexpr unsigned threads_in_step = 32;

/// When a thread of a block did something: behind how many barriers.
struct Moment {
  const CheckedAccess* access = nullptr;
  std::uint32_t thread = 0, block_barriers = 0, warp_barriers = 0;
  std::uint32_t time = 0;       ///< counts the waits for some threads that ended in the block
  std::uint32_t waited_at = 0;  ///< when the last of its own did
  bool operator==(const Moment&) const = default;

  /// Whether nothing orders this and a later moment of the same block. Whom a thread waited for is
  /// not known when it waited for some: all that was done before counts as theirs.
  bool meets(const Moment& later) const {
    if (thread == later.thread) return false;
    if (block_barriers != later.block_barriers || later.waited_at > time) return false;
    const bool same_warp = thread / threads_in_step == later.thread / threads_in_step;
    return !same_warp || warp_barriers == later.warp_barriers;
  }
};

inline bool writes(const CheckedAccess& access) { return (access.flags & check_writes) != 0; }
inline bool is_atomic(const CheckedAccess& access) { return (access.flags & check_atomic) != 0; }
inline bool wants(const CheckedAccess& access, CheckFlags check) {
  return (access.flags & check) != 0;
}

}  // namespace treadle::cuda_cpu
