// SPDX-License-Identifier: MIT
// Functions on elements that consist of several operations. Their results are pending, as those of
// one operation are, and join the kernel of the expression that uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// Raises elements below `low` to `low`, and lowers elements above `high` to `high`. If `low` is
/// above `high`, all elements become `high`. Without limits the result is a copy.
Array clip(const Array& x, const std::optional<Operand>& low, const std::optional<Operand>& high);
/// C++'s names of absolute(), conjugate(), power() and the inverse functions.
inline Array abs(const Array& x) { return absolute(x); }
inline Array conj(const Array& x) { return conjugate(x); }
inline Array pow(const Operand& x, const Operand& y) { return power(x, y); }
inline Array acos(const Operand& x) { return arccos(x); }    ///< arccos()
inline Array acosh(const Operand& x) { return arccosh(x); }  ///< arccosh()
inline Array asin(const Operand& x) { return arcsin(x); }    ///< arcsin()
inline Array asinh(const Operand& x) { return arcsinh(x); }  ///< arcsinh()
inline Array atan(const Operand& x) { return arctan(x); }    ///< arctan()
inline Array atanh(const Operand& x) { return arctanh(x); }  ///< arctanh()
/// arctan2()
inline Array atan2(const Operand& y, const Operand& x) { return arctan2(y, x); }
/// Rounds to a number of decimals; a negative number rounds before the point. Halves are rounded to
/// even. Integers stay integers.
Array round(const Array& x, int decimals = 0);
/// floor_divide() and remainder().
std::pair<Array, Array> divmod(const Operand& x, const Operand& y);
/// Fractions and whole parts, both with the sign of x.
std::pair<Array, Array> modf(const Operand& x);
/// Significands in [0.5, 1), and exponents of 2.
std::pair<Array, Array> frexp(const Operand& x);
/// Converts degrees to radians, in the dtype of sqrt(). Throws DTypeError for complex numbers.
Array deg2rad(const Array& x);
Array rad2deg(const Array& x);  ///< converts radians to degrees
/// Other names of deg2rad() and rad2deg().
inline Array radians(const Array& x) { return deg2rad(x); }
inline Array degrees(const Array& x) { return rad2deg(x); }  ///< rad2deg()
/// Zeros above a diagonal of the last two axes; the diagonal is `offset` to the right of the main
/// one. Throws ShapeError for less than two axes, DTypeError for records.
Array tril(const Array& x, std::int64_t offset = 0);
/// Zeros below that diagonal.
Array triu(const Array& x, std::int64_t offset = 0);

/// trunc(): the nearest whole numbers towards 0.
inline Array fix(const Array& x) { return trunc(x); }
/// power() in float64 (complex128), so that integers may have negative exponents.
Array float_power(const Operand& x, const Operand& y);
/// The distance to the next number of the dtype away from 0, with the sign of x. Throws as
/// nextafter().
Array spacing(const Array& x);
/// Whether elements are +infinity.
Array isposinf(const Array& x);
Array isneginf(const Array& x);  ///< -infinity
/// Whether the imaginary part is not 0.
Array iscomplex(const Array& x);
Array isreal(const Array& x);  ///< whether it is 0

/// Replaces NaN by `nan`, and the infinities by the other numbers: by default the dtype's largest
/// and least number. The parts of complex numbers are replaced separately.
Array nan_to_num(const Array& x, double nan = 0, std::optional<double> posinf = {},
                 std::optional<double> neginf = {});
/// sin(pi x) / (pi x), and 1 at 0.
Array sinc(const Array& x);
/// coefficients[0] * x**(n-1) + ... + coefficients[n-1], by Horner's rule.
Array polyval(List<Operand> coefficients, const Array& x);
/// Takes for each element the choice of the first condition that is true there, or else
/// `otherwise`. Throws InvalidArgument unless there is one choice for each condition, and at least
/// one condition; DTypeError for conditions that are not bool.
Array select(List<Array> conditions, List<Operand> choices, const Operand& otherwise = 0);
/// Takes for each element the choice with the number `index`. Numbers below 0 mean the first
/// choice, and numbers beyond the last choice mean the last. Throws InvalidArgument for no choices.
Array choose(const Array& index, List<Operand> choices);

}  // namespace treadle::array
