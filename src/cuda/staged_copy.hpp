// SPDX-License-Identifier: MIT
// NVIDIA's driver copies from pageable memory by way of a page-locked buffer of its own, and
// returns when the bytes are there: on their way to the device, in the order of the default stream.
// A non-blocking stream does not wait for that one, so work queued there next could read what the
// copy is about to overwrite.
#pragma once

#include "treadle/cuda/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Ends a blocking copy from host memory in the current context: waits until the bytes have
/// arrived.
inline void wait_for_staged_bytes(const Table& cu) {
  check(cu, cu.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

}  // namespace treadle::cuda
