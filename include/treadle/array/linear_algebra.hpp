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
/// dot() of arrays with one axis, their elements not conjugated.
Array inner(const Array& x, const Array& y);
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
