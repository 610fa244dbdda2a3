// SPDX-License-Identifier: MIT
// How full a kernel's blocks make a multiprocessor: what the driver says of a Function, and
// arithmetic on numbers that a device tells, so that launches can be planned for a device that is
// not there.
//
//   const cuda::BlockSuggestion shape = cuda::suggest_block(kernel);
//   kernel.launch({.grid = {shape.grid_blocks}, .block = {shape.block_threads}}, memory, count);
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "treadle/cuda/device.hpp"

namespace treadle::cuda {

class Function;
struct LaunchConfig;

/// CUoccupancy_flags.
enum class OccupancyFlags : unsigned {
  none = 0,
  disable_caching_override = 1  ///< counts as if global memory was cached in L1 where that is less
};

/// How many blocks of so many threads, with so much dynamic shared memory each, a multiprocessor
/// runs at a time; 0 where not even one fits. On the CPU device a multiprocessor is a core, whose
/// blocks follow each other: what fits tells of cooperative launches alone. Throws InvalidArgument
/// for no threads.
unsigned max_active_blocks(const Function& function, unsigned block_threads,
                           std::size_t shared_bytes = 0,
                           OccupancyFlags flags = OccupancyFlags::none);

/// Blocks that fill a device.
struct BlockSuggestion {
  unsigned block_threads = 0;  ///< with these a multiprocessor runs the most threads at a time
  unsigned grid_blocks = 0;    ///< so many blocks are needed for every multiprocessor to be full
};
/// The driver's proposal for blocks with so much dynamic shared memory each, and of at most
/// `most_threads` (0: what the kernel allows).
BlockSuggestion suggest_block(const Function& function, std::size_t shared_bytes = 0,
                              unsigned most_threads = 0,
                              OccupancyFlags flags = OccupancyFlags::none);
/// The same where the shared memory depends on the number of threads, which it is asked with. What
/// it throws is thrown from here.
BlockSuggestion suggest_block(const Function& function,
                              const std::function<std::size_t(unsigned)>& shared_bytes,
                              unsigned most_threads = 0,
                              OccupancyFlags flags = OccupancyFlags::none);

/// The most dynamic shared memory, in bytes, with which a multiprocessor still runs `blocks` blocks
/// of so many threads at a time. Throws InvalidArgument where either is 0.
std::size_t available_shared_bytes(const Function& function, unsigned blocks,
                                   unsigned block_threads);

/// The most clusters of the launch's attributes, with its blocks and shared memory, that the device
/// runs at a time. Throws InvalidArgument where the launch has no clusters, NotSupported on devices
/// that have none: GPUs before sm_90, and the CPU device.
unsigned max_active_clusters(const Function& function, const LaunchConfig& config);
/// The most blocks that a cluster of such a launch may have, whatever cluster it asks for. Throws
/// NotSupported likewise.
unsigned max_cluster_blocks(const Function& function, const LaunchConfig& config);

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
