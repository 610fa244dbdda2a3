// SPDX-License-Identifier: MIT
// Operators that are about the inverse of a matrix, for the solvers. All are symmetric (Hermitian)
// and positive definite where the matrix is so.
#pragma once

#include <cstdint>

#include "treadle/array/array.hpp"
#include "treadle/sparse/csr_matrix.hpp"
#include "treadle/sparse/linear_operator.hpp"

namespace treadle::sparse {

/// Divides by the diagonal. Looks at it, and waits. Throws ShapeError for a matrix that is not
/// square, InvalidArgument where a 0 is on the diagonal.
LinearOperator jacobi(const CsrMatrix& matrix);
/// The inverse of the blocks of that size on the diagonal, which LAPACK makes once. Throws as
/// jacobi(); LinAlgError for a block without an inverse, LibraryNotFound where there is no LAPACK.
LinearOperator block_jacobi(const CsrMatrix& matrix, std::int64_t block);
/// A polynomial of the matrix, scaled by its diagonal: `degree` steps of Chebyshev's iteration,
/// with one product less. It is made for eigenvalues between `ratio` times a bound and the bound,
/// which is Gershgorin's. Looks at the diagonal, and waits. Throws as jacobi(); InvalidArgument for
/// a degree below 1 and a ratio that is not between 0 and 1.
LinearOperator chebyshev(const CsrMatrix& matrix, int degree = 4, double ratio = 1.0 / 30);

}  // namespace treadle::sparse
