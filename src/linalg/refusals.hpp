// SPDX-License-Identifier: MIT
// What the host's LAPACK and cuSOLVER say when a matrix has no decomposition.
#pragma once

#include <cstdint>
#include <string>

#include "treadle/linalg/decomposition.hpp"

namespace treadle::linalg {

[[noreturn]] inline void refuse_singular(const char* name, std::int64_t matrix,
                                         std::int64_t pivot) {
  throw LinAlgError("Singular matrix: " + std::string(name) + " of matrix " +
                        std::to_string(matrix) + ", whose pivot " + std::to_string(pivot) + " is 0",
                    "lstsq() or pinv() take singular matrices");
}

[[noreturn]] inline void refuse_indefinite(std::int64_t matrix, std::int64_t order) {
  throw LinAlgError("Matrix is not positive definite: cholesky of matrix " +
                        std::to_string(matrix) + ", whose leading minor of order " +
                        std::to_string(order) + " is not positive",
                    "eigh() tells its eigenvalues");
}

[[noreturn]] inline void refuse_iteration(const char* what) {
  throw LinAlgError(std::string(what) + " did not converge",
                    "look for NaN and infinities among the elements");
}

}  // namespace treadle::linalg
