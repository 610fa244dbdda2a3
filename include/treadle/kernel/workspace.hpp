// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::kernel {

/// Scratch memory for a kernel whose groups pass results to each other.
struct Workspace {
  device::Location partials;  ///< contents undefined
  device::Location tickets;   ///< uint32, all 0; the kernel leaves all 0
  /// uint64, for scans that look back (codegen::ScanText), and their number.
  device::Location words;
  std::uint64_t word_count = 0;
};

/// The sizes that a launch needs.
struct WorkspaceSize {
  std::size_t partial_bytes;  ///< at least this number
  std::size_t tickets;        ///< at least this number
  std::size_t words = 0;      ///< at least this number
  /// Whether the launch needs a workspace.
  constexpr bool is_used() const noexcept { return tickets != 0 || words != 0; }
};

/// Calls `launch` with the workspace of a stream. The workspace lives as long as the device and
/// grows as needed. All launches of the stream share it, one after the other: `launch` must queue
/// its work on `stream`, and other threads wait for `launch` to return. On a queue that its owner
/// made out of order, the caller orders the launches. If `launch` throws, the workspace is made
/// anew. Throws OutOfMemory.
void with_workspace(device::Stream& stream, const WorkspaceSize& size,
                    const std::function<void(const Workspace&)>& launch);

}  // namespace treadle::kernel
