// SPDX-License-Identifier: MIT
// Products of vectors, and traces and norms of matrices. The results are pending; each function is
// one kernel.
#pragma once

#include <cstdint>
#include <utility>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The product of each element of x with each element of y, in two axes.
Array outer(const Array& x, const Array& y);
/// The sum of the elements (i, i + offset) of two axes.
Array trace(const Array& x, std::int64_t offset = 0, int axis = 0, int other = 1);
/// The sum of the products along an axis. x is conjugated.
Array vecdot(const Array& x, const Array& y, int axis = -1);
/// Cross products of vectors of 3 elements, or of 2 elements, which lie in a plane. Vectors lie
/// along an axis of each array. Two vectors of 2 elements give the one component that is not 0.
/// Throws ShapeError for other lengths and for shapes that do not broadcast.
struct CrossAxes {
  int of_x = -1, of_y = -1, of_result = -1;
};
Array cross(const Array& x, const Array& y, CrossAxes axes = {});
/// Multiplies each element of x by the whole of y, in blocks along each axis.
Array kron(const Array& x, const Array& y);
/// Powers of each element of an array of one axis, in columns: n - 1 down to 0, or 0 up to n - 1.
/// Throws ShapeError for other ranks, InvalidArgument for n < 0.
Array vander(const Array& x, std::int64_t n, bool is_increasing = false);

/// How covariance() counts observations.
struct CovarianceOptions {
  bool has_rows = true;            ///< each row is a variable; else each column
  double correction = 1;           ///< subtracted from the number of observations
  const Array* counts = nullptr;   ///< how often each observation was made: integers
  const Array* weights = nullptr;  ///< the weight of each observation
  Scalar dtype = Scalar::float64;  ///< the dtype of the computation
};
/// The matrix of covariances: the mean product of two variables' distances from their means. One
/// variable gives a number. Reads the sums of the weights, and waits for them. Throws ShapeError
/// for more than two axes, and unless there is one weight for each observation.
Array covariance(const Array& x, const CovarianceOptions& options = {});
/// covariance() of variables divided by their standard deviations: from -1 to 1.
Array correlation(const Array& x, const CovarianceOptions& options = {});

/// Norms of matrices.
enum class MatrixNorm : std::uint8_t {
  frobenius,      ///< the root of the sum of squared magnitudes
  one,            ///< the largest sum of magnitudes of a column
  infinity,       ///< the largest sum of magnitudes of a row
  minus_one,      ///< the least sum of magnitudes of a column
  minus_infinity  ///< the least sum of magnitudes of a row
};
/// Norms of the matrices in the last two axes. Throws ShapeError for less than two axes.
Array matrix_norm(const Array& x, MatrixNorm norm = MatrixNorm::frobenius, bool keeps_axes = false);
/// Norms of the matrices in any two axes: rows, columns. Throws IndexError for an axis that does
/// not exist, InvalidArgument if both axes are the same.
Array matrix_norm(const Array& x, MatrixNorm norm, std::pair<int, int> axes,
                  bool keeps_axes = false);

}  // namespace treadle::array
