// SPDX-License-Identifier: MIT
// Functions on elements that are several operations. They wait until somebody looks, as one
// operation does, and are part of the kernel of what they are used in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Elements below `low` become `low`, and elements above `high` become `high`; all become `high`
/// where it is below `low`. Without both limits a copy.
Array clip(const Array& x, const std::optional<Operand>& low, const std::optional<Operand>& high);
/// absolute(), conjugate() and power(), as C++ calls them.
inline Array abs(const Array& x) { return absolute(x); }
inline Array conj(const Array& x) { return conjugate(x); }
inline Array pow(const Array& x, const Operand& y) { return power(x, y); }
/// Rounds to so many decimals; negative numbers of decimals are before the point. Halves become
/// even. Integers stay integers.
Array round(const Array& x, int decimals = 0);
/// floor_divide() and remainder().
std::pair<Array, Array> divmod(const Operand& x, const Operand& y);
/// Fractions and whole parts, both with the sign of x.
std::pair<Array, Array> modf(const Operand& x);
/// Significands in [0.5, 1), and exponents of 2.
std::pair<Array, Array> frexp(const Operand& x);
/// Converts degrees to radians, in the dtype that sqrt() has. Throws DTypeError for complex
/// numbers.
Array deg2rad(const Array& x);
Array rad2deg(const Array& x);  ///< in degrees, of those in radians
/// The same functions by their other names.
inline Array radians(const Array& x) { return deg2rad(x); }
inline Array degrees(const Array& x) { return rad2deg(x); }  ///< rad2deg()
/// Zeros above the diagonal of the last two axes that is `offset` to the right of the main one.
/// Throws ShapeError for less than two axes, DTypeError for records.
Array tril(const Array& x, std::int64_t offset = 0);
/// Zeros below it.
Array triu(const Array& x, std::int64_t offset = 0);

/// trunc(): the nearest whole numbers towards 0.
inline Array fix(const Array& x) { return trunc(x); }
/// power() in float64 (complex128), so that integers have negative exponents, too.
Array float_power(const Operand& x, const Operand& y);
/// To the next number of the dtype away from 0, with the sign of x. Throws as nextafter().
Array spacing(const Array& x);
/// Where elements are infinite, by their sign.
Array isposinf(const Array& x);
Array isneginf(const Array& x);  ///< -infinity
/// Where the imaginary part is not 0, and where it is.
Array iscomplex(const Array& x);
Array isreal(const Array& x);  ///< it is 0

/// NaN and the infinities replaced by numbers: by default 0 and the dtype's largest and least
/// number. Complex numbers are replaced part by part.
Array nan_to_num(const Array& x, double nan = 0, std::optional<double> posinf = {},
                 std::optional<double> neginf = {});
/// sin(pi x) / (pi x), and 1 at 0.
Array sinc(const Array& x);
/// coefficients[0] * x**(n-1) + ... + coefficients[n-1], by Horner's rule.
Array polyval(std::span<const Operand> coefficients, const Array& x);
/// For each element, the choice of the first condition that holds there, or else `otherwise`.
/// Throws InvalidArgument unless there is one choice for each condition, and at least one;
/// DTypeError for conditions that are not bool.
Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise = 0);
/// For each element, the choice whose number `index` has there; numbers below 0 and beyond the last
/// stand for the first and the last choice. Throws InvalidArgument for no choices.
Array choose(const Array& index, std::span<const Operand> choices);

}  // namespace treadle::array
