// SPDX-License-Identifier: MIT
// How full a kernel's blocks make a multiprocessor: arithmetic on numbers that a device tells, so
// that launches can be planned for a device that is not there.
#pragma once

#include <vector>

#include "treadle/cuda/device.hpp"

namespace treadle::cuda {

/// What one multiprocessor has room for.
struct Multiprocessor {
  unsigned block_threads = 1024;     ///< most threads in one block
  unsigned warp_threads = 32;        ///< threads in a warp
  unsigned warps = 64;               ///< most at a time
  unsigned blocks = 32;              ///< most at a time
  unsigned registers = 65536;        ///< of 32 bits
  unsigned shared_bytes = 49152;     ///< shared memory
  unsigned register_unit = 256;      ///< a warp gets a multiple of this many registers
  unsigned shared_unit_bytes = 128;  ///< a block gets a multiple of this much shared memory

  /// As the device's attributes say. On the CPU device a multiprocessor is a core.
  static Multiprocessor of(const Device& device);
};

/// What one block needs.
struct BlockNeeds {
  unsigned threads = 1;               ///< of all three directions together
  unsigned shared_bytes = 0;          ///< static and dynamic
  unsigned registers_per_thread = 0;  ///< 0: not known, and no limit
};

/// What keeps further blocks out, in the order in which ties are named.
enum class OccupancyLimit { blocks, registers, shared_memory, warps };

/// The answer. `limits` has an entry for everything that the block needs some of.
struct Occupancy {
  /// One thing the multiprocessor has so much of.
  struct Limit {
    unsigned blocks;    ///< that many would fit if nothing else was needed
    OccupancyLimit by;  ///< what it is
  };
  std::vector<Limit> limits;  ///< in the order of OccupancyLimit
  unsigned blocks;            ///< at a time on one multiprocessor
  unsigned warps;             ///< in all of them
  OccupancyLimit limited_by;  ///< the smallest of `limits`
  double fraction;            ///< of the warps that there is room for: 0 < fraction <= 1
};

/// Throws InvalidArgument, "too many threads", "too many registers" or "too much shared memory"
/// with both numbers, if not even one block fits; and if it has no threads.
Occupancy occupancy(const Multiprocessor& multiprocessor, const BlockNeeds& needs);

}  // namespace treadle::cuda
