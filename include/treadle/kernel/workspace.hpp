// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Scratch memory of a kernel whose groups hand results over to each other.
struct Workspace {
  device::Location partials;  ///< with undefined contents
  device::Location tickets;   ///< uint32, all 0; the kernel leaves them so
};

/// What a launch wants of it.
struct WorkspaceSize {
  std::size_t partial_bytes;  ///< at least
  std::size_t tickets;        ///< at least so many
};

/// Calls `launch` with the workspace of a stream, which lives as long as the device and grows as
/// needed: launches that are ordered by their stream share it, so `launch` must queue on `stream`
/// whatever uses it, and no other thread gets it meanwhile. On queues that their owner made out of
/// order, the caller orders the launches. If `launch` throws, the workspace is made anew. Throws
/// OutOfMemory.
void with_workspace(device::Stream& stream, const WorkspaceSize& size,
                    const std::function<void(const Workspace&)>& launch);

}  // namespace treadle::kernel
