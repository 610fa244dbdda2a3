// SPDX-License-Identifier: MIT
// Products of vectors, and traces and norms of matrices. They wait until somebody looks; each is
// one kernel.
#pragma once

#include <cstdint>
#include <utility>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The products of each element of x with each of y, in two axes.
Array outer(const Array& x, const Array& y);
/// The sum of elements (i, i + offset) of two axes.
Array trace(const Array& x, std::int64_t offset = 0, int axis = 0, int other = 1);
/// The sum of the products along an axis, x conjugated.
Array vecdot(const Array& x, const Array& y, int axis = -1);
/// The cross products of vectors of 3 elements, or of 2, which lie in a plane, along an axis of
/// each; of 2 and 2 the one component that is not 0. Throws ShapeError for other lengths and for
/// shapes that do not broadcast.
struct CrossAxes {
  int of_x = -1, of_y = -1, of_result = -1;
};
Array cross(const Array& x, const Array& y, CrossAxes axes = {});
/// Each element of x times the whole of y, in blocks along each axis.
Array kron(const Array& x, const Array& y);
/// Powers of each element of one axis, n - 1 down to 0, or up from 0, in columns. Throws ShapeError
/// for other ranks, InvalidArgument for n < 0.
Array vander(const Array& x, std::int64_t n, bool is_increasing = false);

/// How covariance() counts observations.
struct CovarianceOptions {
  bool has_rows = true;            ///< each row is a variable; else each column
  double correction = 1;           ///< what is subtracted from the number of observations
  const Array* counts = nullptr;   ///< how often each observation was made: integers
  const Array* weights = nullptr;  ///< how much each counts
  Scalar dtype = Scalar::float64;  ///< in which all is computed
};
/// Of each two variables the mean product of their distances from their means, as a matrix; of one
/// variable a number. Reads the weights' sums, and waits for them. Throws ShapeError for more than
/// two axes and for weights that are not as many as observations.
Array covariance(const Array& x, const CovarianceOptions& options = {});
/// covariance() of variables that are divided by their standard deviations: from -1 to 1.
Array correlation(const Array& x, const CovarianceOptions& options = {});

/// Norms of matrices.
enum class MatrixNorm : std::uint8_t {
  frobenius,      ///< the root of the sum of squared magnitudes
  one,            ///< the largest sum of magnitudes of a column
  infinity,       ///< that of a row
  minus_one,      ///< the least of a column
  minus_infinity  ///< the least of a row
};
/// Of the matrices in the last two axes. Throws ShapeError for less than two.
Array matrix_norm(const Array& x, MatrixNorm norm = MatrixNorm::frobenius, bool keeps_axes = false);
/// Of those in any two axes, rows and columns. Throws IndexError for one that is not there,
/// InvalidArgument for the same one twice.
Array matrix_norm(const Array& x, MatrixNorm norm, std::pair<int, int> axes,
                  bool keeps_axes = false);

}  // namespace treadle::array
