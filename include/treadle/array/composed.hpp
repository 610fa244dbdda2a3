// SPDX-License-Identifier: MIT
// Functions of arrays that are several operations and reductions, in NumPy's meaning. What they
// give waits until somebody looks; each is one kernel unless it says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// With numbers in place of NaN and the infinities, which become the largest and the least number
/// of the dtype unless it is said; of complex numbers in both parts.
Array nan_to_num(const Array& x, double nan = 0, std::optional<double> posinf = {},
                 std::optional<double> neginf = {});
/// sin(pi x) / (pi x), and 1 at 0.
Array sinc(const Array& x);
/// coefficients[0] * x**(n-1) + ... + coefficients[n-1], by Horner's rule.
Array polyval(std::span<const Operand> coefficients, const Array& x);
/// Of each element the choice whose condition is the first that holds, else `otherwise`. Throws
/// InvalidArgument unless there is a choice for each condition, and one at least; DTypeError for
/// conditions that are not bool.
Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise = 0);
/// Of each element that of the choice whose number `index` says; below 0 and beyond, the first and
/// the last. Throws InvalidArgument for no choices.
Array choose(const Array& index, std::span<const Operand> choices);

/// The products of each element of x with each of y, in two axes.
Array outer(const Array& x, const Array& y);
/// Differences of neighbours along an axis, `times` times; of bool, whether they differ. Throws
/// InvalidArgument for a negative number of times, IndexError.
Array diff(const Array& x, int times = 1, int axis = -1);
/// The sum of elements (i, i + offset) of two axes.
Array trace(const Array& x, std::int64_t offset = 0, int axis = 0, int other = 1);
/// The sum of the products along an axis, x conjugated.
Array vecdot(const Array& x, const Array& y, int axis = -1);
/// The integral along an axis by the trapezoidal rule, of places `distance` apart.
Array trapezoid(const Array& y, const Operand& distance = 1.0, int axis = -1);
/// The same at the places x, in one axis or as many as y has.
Array trapezoid_at(const Array& y, const Array& x, int axis = -1);
/// Places of the greatest and of the least number that is not NaN, along an axis or in C's order.
/// Of floats they look, and wait: InvalidArgument where there is none.
Array nanargmax(const Array& x, std::optional<int> axis = {}, bool keeps_axes = false);
Array nanargmin(const Array& x, std::optional<int> axis = {}, bool keeps_axes = false);  ///< least

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
