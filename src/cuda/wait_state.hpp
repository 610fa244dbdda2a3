// SPDX-License-Identifier: MIT
// What the rest of the room tells src/cuda/wait.cpp.
#pragma once

namespace treadle::cuda {

/// Whether this process has made a stream through this library. Until then waits need not look
/// beyond the default stream.
bool any_stream_was_made() noexcept;

}  // namespace treadle::cuda
