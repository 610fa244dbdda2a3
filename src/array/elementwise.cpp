// SPDX-License-Identifier: MIT
#include "treadle/array/elementwise.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

/// For each element its column minus its row, in the last two axes.
Array columns_less_rows(const Array& x) {
  if (x.rank() < 2)
    throw ShapeError("an array of shape " + shape_text(x.shape()) + " has no diagonal",
                     "it takes two axes");
  const Node& node = Access::node(x);
  const Placement here{.stream = node.context->stream(node.stream)};
  const auto count_up = [&](int axis) {
    return arange(0, x.shape()[static_cast<std::size_t>(x.rank() + axis)], 1, Scalar::int64, here);
  };
  return count_up(-1) - expand_dims(count_up(-2), 1);
}

/// Multiplies the elements by a factor, in the dtype that NumPy uses for functions of real numbers.
Array scaled(const Array& x, double factor) {
  const DType dtype = resolve(Op::fabs, Operand(x).type()).result;
  return in_dtype(x, dtype) * factor;
}

/// Whether a limit of clip() can change an element. An integer beyond the dtype's range cannot.
bool limits(const Array& x, const Operand& limit, IntegerFit beyond) {
  if (!x.dtype().is_integer() || !(limit.type() == OperandType(Weak::integer))) return true;
  return fit_of(x.dtype().scalar(), limit.number()) != beyond;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest_of(Scalar floating) {
  if (floating == Scalar::float16) return 65504;
  return floating == Scalar::float32 ? std::numeric_limits<float>::max()
                                     : std::numeric_limits<double>::max();
}

/// The dtype of a number of the host language where no array is an operand.
Scalar own_dtype(const Operand& number) {
  if (!number.type().is_weak()) return number.type().scalar();
  switch (number.number().kind()) {
    case ScalarKind::unsigned_integer:
      return Scalar::uint64;
    case ScalarKind::complex:
      return Scalar::complex128;
    case ScalarKind::floating:
      return Scalar::float64;
    default:
      return Scalar::int64;
  }
}

/// A number of select(), in the dtype of all choices. NumPy makes an array of the number and casts
/// the array. NumPy casts a choice only as same_kind allows, and the default value in any case.
Operand chosen_number(const Operand& value, Scalar dtype, bool is_rest) {
  const bool is_integer = value.type() == OperandType(Weak::integer);
  const bool is_huge = is_integer && value.number().kind() == ScalarKind::floating;
  if (const IntegerFit found = fit_of(dtype, value.number());
      is_huge && is_rest && found != IntegerFit::within)
    throw_overflow(dtype, found, value.number().text());
  if (!is_rest && (is_huge || !can_cast(own_dtype(value), dtype, Casting::same_kind)))
    throw DTypeError("select: the choice " + value.number().text() + " is not cast to " +
                         DType(dtype).name() + ", the dtype of all, as same_kind allows",
                     "cast the choices to one dtype");
  return Operand::typed(value.number(), dtype);
}

}  // namespace

Array clip(const Array& x, const std::optional<Operand>& low, const std::optional<Operand>& high) {
  // NumPy's rule: a whole number beyond the dtype's range does not limit.
  const bool has_low = low && limits(x, *low, IntegerFit::below);
  const bool has_high = high && limits(x, *high, IntegerFit::above);
  if (!has_low && !has_high) return positive(x);
  std::vector<OperandType> types = {Operand(x).type()};
  if (has_low) types.push_back(low->type());
  if (has_high) types.push_back(high->type());
  const Scalar common = promote(types);
  const Array elements = in_dtype(x, common);
  const Array above = has_low ? maximum(elements, *low) : elements;
  return has_high ? minimum(above, *high) : above;
}

Array round(const Array& x, int decimals) {
  if (x.dtype() == DType(Scalar::boolean) && decimals != 0)
    throw DTypeError("round of bool to " + std::to_string(decimals) + " decimals",
                     "cast it to floats, or leave the decimals out");
  const bool is_integer = x.dtype().is_integer();
  if (decimals == 0 || (is_integer && decimals > 0)) return is_integer ? positive(x) : rint(x);
  const double factor = std::pow(10.0, std::abs(decimals));
  const Array whole = rint(decimals > 0 ? x * factor : x / factor);
  const Array rounded = decimals > 0 ? whole / factor : whole * factor;
  return is_integer ? in_dtype(rounded, x.dtype()) : rounded;
}

std::pair<Array, Array> divmod(const Operand& x, const Operand& y) {
  return {floor_divide(x, y), remainder(x, y)};
}
std::pair<Array, Array> modf(const Operand& x) { return {modf_fraction(x), modf_integer(x)}; }
std::pair<Array, Array> frexp(const Operand& x) { return {frexp_mantissa(x), frexp_exponent(x)}; }

Array deg2rad(const Array& x) { return scaled(x, std::numbers::pi / 180); }
Array rad2deg(const Array& x) { return scaled(x, 180 / std::numbers::pi); }

Array tril(const Array& x, std::int64_t offset) {
  return where(columns_less_rows(x) <= offset, x, Operand::typed(0, Operand(x).type().scalar()));
}
Array triu(const Array& x, std::int64_t offset) {
  return where(columns_less_rows(x) >= offset, x, Operand::typed(0, Operand(x).type().scalar()));
}

Array float_power(const Operand& x, const Operand& y) {
  const OperandType types[] = {x.type(), y.type(), Scalar::float64};
  const Scalar dtype = promote(types);
  const Array base = x.array() != nullptr ? in_dtype(*x.array(), dtype) : Array(),
              exponent = y.array() != nullptr ? in_dtype(*y.array(), dtype) : Array();
  return power(base.has_value() ? Operand(base) : Operand::typed(x.number(), dtype),
               exponent.has_value() ? Operand(exponent) : Operand::typed(y.number(), dtype));
}
Array spacing(const Array& x) {
  // Integers become floats of the size that NumPy's functions of one float give them.
  const Array value = in_dtype(x, sqrt(x).dtype().scalar());
  return nextafter(value, copysign(std::numeric_limits<double>::infinity(), value)) - value;
}

Array isposinf(const Array& x) { return x == std::numeric_limits<double>::infinity(); }
Array isneginf(const Array& x) { return x == -std::numeric_limits<double>::infinity(); }
Array iscomplex(const Array& x) { return imag(x) != 0; }
Array isreal(const Array& x) { return imag(x) == 0; }

Array nan_to_num(const Array& x, double nan, std::optional<double> posinf,
                 std::optional<double> neginf) {
  if (x.dtype().kind() == ScalarKind::complex)
    return make_complex(nan_to_num(real_part(x), nan, posinf, neginf),
                        nan_to_num(imaginary_part(x), nan, posinf, neginf));
  if (x.dtype().kind() != ScalarKind::floating) return copy(x);
  const double largest = largest_of(x.dtype().scalar());
  const Array above = where(equal(x, infinity), posinf.value_or(largest), x);
  const Array between = where(equal(x, -infinity), neginf.value_or(-largest), above);
  return where(isnan(x), nan, between);
}

Array sinc(const Array& x) {
  const Array y = x * std::numbers::pi;
  return where(equal(y, 0), 1.0, sin(y) / y);
}

Array polyval(List<Operand> coefficients, const Array& x) {
  if (coefficients.empty()) return zeros_like(x);  // x * 0 is NaN where x is not finite
  Array value = in_dtype(x * 0, x.dtype());
  for (const Operand& coefficient : coefficients) value = add(value * x, coefficient);
  return value;
}

Array select(List<Array> conditions, List<Operand> choices, const Operand& otherwise) {
  if (conditions.size() != choices.size() || conditions.empty())
    throw InvalidArgument("select: " + std::to_string(conditions.size()) + " conditions and " +
                              std::to_string(choices.size()) + " choices",
                          "give one choice for each condition, and one at least");
  std::vector<OperandType> types{otherwise.type()};
  for (const Operand& choice : choices) types.push_back(choice.type());
  const Scalar dtype = promote(types);
  // Promote all choices together: promoting one after another may give another dtype.
  const Placement here{.stream = conditions.front().stream()};
  Array result = otherwise.array() != nullptr
                     ? in_dtype(*otherwise.array(), dtype)
                     : full({}, chosen_number(otherwise, dtype, true).number(), dtype, here);
  for (std::size_t i = conditions.size(); i-- > 0;) {
    if (conditions[i].dtype() != Scalar::boolean)
      throw DTypeError("select: condition " + std::to_string(i) + " is " +
                           conditions[i].dtype().name() + ", not bool",
                       "compare: x > 0");
    result = choices[i].array() != nullptr
                 ? where(conditions[i], in_dtype(*choices[i].array(), dtype), result)
                 : where(conditions[i], chosen_number(choices[i], dtype, false), result);
  }
  return result;
}

Array choose(const Array& index, List<Operand> choices) {
  if (choices.empty()) throw InvalidArgument("choose: there are no choices", "give one at least");
  if (choices.size() == 1) return where(less_equal(index, 0), choices[0], choices[0]);
  const std::size_t last = choices.size() - 1;
  Array result = where(less_equal(index, last - 1), choices[last - 1], choices[last]);
  for (std::size_t i = last - 1; i-- > 0;) result = where(less_equal(index, i), choices[i], result);
  return result;
}

}  // namespace treadle::array
