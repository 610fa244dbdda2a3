// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/sparse/linear_operator.hpp"
#include "treadle/sparse/sparse_matrix.hpp"

namespace treadle::sparse {

/// Which eigenvalues are wanted.
enum class EigenChoice : std::uint8_t {
  largest_magnitude,
  smallest_magnitude,
  largest,   ///< the greatest
  smallest,  ///< the least
  both_ends  ///< half from each end, one more from above of an odd number
};

/// How eigsh() goes.
struct EigshOptions {
  EigenChoice choice = EigenChoice::largest_magnitude;  ///< which values
  /// Of an eigenvalue's residual, divided by its magnitude; 0: the dtype's precision.
  double tolerance = 0;
  std::int64_t most_restarts = 0;    ///< 0: ten times the size of the matrix
  std::int64_t basis = 0;            ///< vectors that are kept; 0: twice the number and one, or 20
  std::optional<Array> start = {};   ///< a vector; else one that is drawn, the same each time
  std::optional<double> shift = {};  ///< A is the inverse of B - shift, B's values are wanted
};

/// What eigsh() found.
struct EigshSolution {
  std::vector<double> values;  ///< that have converged; they rise
  Array vectors;               ///< in columns, of norm 1
  std::int64_t products;       ///< with A
  std::int64_t restarts;       ///< done
  bool has_all;                ///< as many as were wanted
};

/// Eigenvalues and vectors of a symmetric (Hermitian) matrix by Lanczos' method with full
/// orthogonalisation, restarted with the vectors that are nearest to those wanted (thick restart:
/// Wu and Simon 2000). The host looks once each restart, at a matrix as large as the basis. Throws
/// ShapeError for a matrix that is not square, InvalidArgument for a `count` that is not between 1
/// and before the size, and for a basis that does not hold more.
EigshSolution eigsh(const LinearOperator& a, std::int64_t size, std::int64_t count, Scalar dtype,
                    const EigshOptions& options = {});
/// eigsh() of a sparse matrix, in its dtype: eigsh(a, 3).
template <std::derived_from<SparseMatrix> Matrix>
EigshSolution eigsh(const Matrix& a, std::int64_t count, const EigshOptions& options = {}) {
  return eigsh(LinearOperator(a), a.size().rows, count, a.dtype().scalar(), options);
}

}  // namespace treadle::sparse

namespace treadle {

using sparse::EigenChoice;
using sparse::EigshOptions;
using sparse::EigshSolution;

}  // namespace treadle
