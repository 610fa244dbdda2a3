// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "treadle/array/array.hpp"
#include "treadle/array/linear_algebra.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

/// How many diagonals on each side of the main one have entries.
struct Bandwidths {
  std::int64_t below, above;  ///< as far as the farthest of them
  bool operator==(const Bandwidths&) const = default;
};
/// Of a matrix whose rows are all there. Waits.
Bandwidths bandwidths(const CsrMatrix& a);

/// A norm of a matrix, on the device. Entries of one place are added before.
Array matrix_norm(const CsrMatrix& a, array::MatrixNorm norm = array::MatrixNorm::frobenius);

/// The product of so many factors `a`, by squares; the identity for 0. Waits as
/// CsrMatrix::multiply(). Throws ShapeError unless it is square, InvalidArgument for a power below
/// 0.
CsrMatrix matrix_power(const CsrMatrix& a, std::int64_t power);

}  // namespace treadle::sparse
