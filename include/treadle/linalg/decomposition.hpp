// SPDX-License-Identifier: MIT
// Systems of equations, factors and eigenvalues of matrices, with NumPy's rules. The matrices are
// the last two axes; axes before them are many of them.
//
// LAPACK of the host does the work: matrices are copied to the host and results back. On a GPU of
// NVIDIA's cuSOLVER does it where it is found and sooner done (treadle/library/cusolver.hpp): all
// but eig(), lstsq() and expm(), of matrices that are not short. These functions compute at once
// and block, and what is singular is an error at the call.
// float32 and complex64 are computed in their own precision, integers and bool in float64.
//
// All throw LibraryNotFound where the host has no LAPACK, DTypeError for float16 and records, and
// MatrixShapeError for arrays with fewer than two axes and where a square is wanted.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/list.hpp"

namespace treadle::linalg {

/// A matrix that has no inverse, is not positive definite, or for which an iteration did not end.
class LinAlgError : public InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

/// No matrix where one is wanted, or none that is square. NumPy has its LinAlgError for that: in
/// Python this class derives from both, and programs may catch either.
class MatrixShapeError : public ShapeError {
  using ShapeError::ShapeError;
};

/// The x for which a @ x is b. b is one vector if it has one axis, else matrices; axes before them
/// broadcast. Throws LinAlgError for singular matrices.
Array solve(const Array& a, const Array& b);
/// The inverse. Throws LinAlgError for singular matrices.
Array inv(const Array& a);
/// The x for which tensordot(a, x, x.rank()) is b: a has the axes of b, and behind them those of x.
/// `axes` of a are moved behind the others first. Throws MatrixShapeError unless there are as many
/// equations as unknowns, LinAlgError where they are singular.
Array tensorsolve(const Array& a, const Array& b, List<int> axes = {});
/// The inverse of that: tensordot(tensorinv(a, count), b, count) is tensorsolve(a, b), where b has
/// `count` axes. Throws InvalidArgument for a count that is not above 0.
Array tensorinv(const Array& a, int count = 2);
/// The determinant; 0 for singular matrices.
Array det(const Array& a);
/// Determinants too large or too small for the dtype.
struct SignAndLog {
  Array sign;         ///< 1, -1 or 0, or of magnitude 1
  Array log_of_size;  ///< -infinity where the determinant is 0
};
SignAndLog slogdet(const Array& a);  ///< what `sign * exp(log_of_size)` gives back

/// The triangular L with L @ L^H = a, of which one triangle is read; with `is_upper` U with U^H @
/// U. Throws LinAlgError if a is not positive definite.
Array cholesky(const Array& a, bool is_upper = false);

/// Which part of QR is wanted.
enum class QrMode : std::uint8_t {
  reduced,   ///< q of m x min(m, n)
  complete,  ///< q of m x m
  r,         ///< no q
};
struct Qr {
  Array q, r;  ///< q has orthonormal columns, and is no array for QrMode::r; r is upper triangular
};
Qr qr(const Array& a, QrMode mode = QrMode::reduced);  ///< a = q @ r
/// The same as LAPACK's geqrf leaves it: q is the product of I - factors[i] * v @ v^H, whose v has
/// i zeros, 1, and then what `vectors` has in column i below the diagonal. r is on and above it.
struct Reflections {
  Array vectors, factors;  ///< of the shape of a, and as many as its shorter side
};
Reflections qr_reflections(const Array& a);  ///< by LAPACK of the host, on every device

struct Svd {
  Array u, s, vh;  ///< s falls; u and vh are no arrays if they were not asked for
};
/// a = u * s @ vh. Throws LinAlgError if the iteration does not end, as for NaN.
Svd svd(const Array& a, bool has_full_matrices = true, bool has_vectors = true);

struct Eigen {
  Array values, vectors;  ///< vectors are columns; no array if they were not asked for
};
/// Of symmetric or Hermitian matrices, of which one triangle is read; values rise.
Eigen eigh(const Array& a, bool reads_upper = false, bool has_vectors = true);
/// Of any matrices; complex, of real arrays too, as the array API 2025.12 and NumPy 2.5 have it.
Eigen eig(const Array& a, bool has_vectors = true);
/// The values of eig() alone; eigvalsh(): of eigh(), rising.
inline Array eigvals(const Array& a) { return eig(a, false).values; }
inline Array eigvalsh(const Array& a, bool reads_upper = false) {
  return eigh(a, reads_upper, false).values;
}

struct LeastSquares {
  Array x, residuals, s;  ///< residuals: none unless a has full rank and more rows than columns
  std::int64_t rank = 0;  ///< of a: how many singular values count
};
/// The x for which the norm of a @ x - b is least. One matrix; b is a vector or a matrix. Singular
/// values below rcond times the largest count as 0; by default rcond is the dtype's precision
/// times the longer side.
LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond = {});

/// The exponential, exp(a) = 1 + a + a @ a / 2 + ..., by scaling and squaring with Pade's
/// approximants of degree up to 13 (Higham, 2005). A matrix with NaN or infinity gives NaN.
Array expm(const Array& a);

}  // namespace treadle::linalg
