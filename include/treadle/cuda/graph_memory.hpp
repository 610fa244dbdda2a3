// SPDX-License-Identifier: MIT
// The memory that nodes of graphs allocate: a device keeps it for all of its graphs.
#pragma once

#include <cstdint>

#include "treadle/cuda/device.hpp"

namespace treadle::cuda {

/// Bytes of one device, of all graphs of the process.
struct GraphMemoryUse {
  std::uint64_t used = 0;           ///< by graphs, now
  std::uint64_t most_used = 0;      ///< at one time
  std::uint64_t reserved = 0;       ///< that the device has given for them
  std::uint64_t most_reserved = 0;  ///< at one time
};
/// Throws NotSupported before CUDA 11.4. Graphs of the CPU device have their memory from when they
/// are described on, and it goes with the last of them.
GraphMemoryUse graph_memory_use(const Device& device);
/// Lets both `most_` numbers begin again from what is the case now.
void reset_most_graph_memory(const Device& device);
/// Gives what no graph uses back to the device.
void trim_graph_memory(const Device& device);

}  // namespace treadle::cuda
