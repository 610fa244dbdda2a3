// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace treadle::sparse {

/// Eigenvalues of a small symmetric matrix on the host, and vectors as rows.
struct SmallEigen {
  std::vector<double> values;   ///< they rise
  std::vector<double> vectors;  ///< row k belongs to value k
};
/// By rotations (Jacobi 1846), which are exact to the last digits also for small values. `matrix`
/// has size * size elements.
SmallEigen small_eigen(std::vector<double> matrix, std::size_t size);

}  // namespace treadle::sparse
