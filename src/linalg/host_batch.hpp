// SPDX-License-Identifier: MIT
// Many matrices for the host's LAPACK at a time.
//
// A call of LAPACK's for a matrix of 8 x 8 takes less than a microsecond, and for one of 200 x 200
// its own threads help little. So the threads are here: each takes some of the matrices, and the
// library works with one thread for each call.
#pragma once

#include <cstdint>
#include <functional>

#include "linalg/operands.hpp"
#include "treadle/library/host_blas.hpp"

namespace treadle::linalg {

/// Matrices of one shape.
struct BatchShape {
  std::int64_t count;  ///< of matrices
  std::int64_t m, n;   ///< their rows and columns
};

/// Calls `work(first, last)` for parts of the numbers from 0 to count, each once, on as many
/// threads as pay; without threads for one matrix. Returns when all have ended. An exception that
/// `work` throws reaches the caller, and no new part begins; of several the one of the first part.
void share_matrices(const library::HostBlas& library, unsigned threads, const BatchShape& batch,
                    const std::function<void(std::int64_t, std::int64_t)>& work);

/// How many threads may work for an array's device: those of the CPU device, else the host's.
unsigned host_threads(const Array& x);

}  // namespace treadle::linalg
