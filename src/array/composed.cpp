// SPDX-License-Identifier: MIT
#include "treadle/array/composed.hpp"

#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest_of(Scalar floating) {
  if (floating == Scalar::float16) return 65504;
  return floating == Scalar::float32 ? std::numeric_limits<float>::max()
                                     : std::numeric_limits<double>::max();
}

bool has_nan(const Array& x) {
  return x.dtype().kind() == ScalarKind::floating || x.dtype().kind() == ScalarKind::complex;
}

Array place(const Array& x, std::optional<int> axis, bool keeps_axes, bool is_greatest) {
  const Array numbers = has_nan(x) ? where(isnan(x), is_greatest ? -infinity : infinity, x) : x;
  const ReduceOptions options{.axes = axis ? Axes(*axis) : Axes(), .keeps_axes = keeps_axes};
  const Array places = is_greatest ? argmax(numbers, options) : argmin(numbers, options);
  if (!has_nan(x) || places.size() == 0) return places;
  const Array has_none = all(isnan(x), options);
  evaluate({places, has_none});
  if (any(has_none).item().as_bool())
    throw InvalidArgument(std::string(is_greatest ? "nanargmax" : "nanargmin") +
                              " of elements that are all NaN has no place",
                          "leave such rows out, or give them a number by where()");
  return places;
}

/// The dtype that a number of the host language has alone.
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

/// A number of select() in the dtype of all choices. NumPy makes an array of it first, which it
/// casts: a choice as same_kind allows, and the rest whatever it is.
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

/// The last axis but its first element, and but its last.
Array without_first(const Array& x) { return x.at({Index::ellipsis(), Index{.start = 1}}); }
Array without_last(const Array& x) { return x.at({Index::ellipsis(), Index{.stop = -1}}); }

}  // namespace

Array nan_to_num(const Array& x, double nan, std::optional<double> posinf,
                 std::optional<double> neginf) {
  if (x.dtype().kind() == ScalarKind::complex)
    return make_complex(nan_to_num(real_part(x), nan, posinf, neginf),
                        nan_to_num(imaginary_part(x), nan, posinf, neginf));
  if (!has_nan(x)) return copy(x);
  const double largest = largest_of(x.dtype().scalar());
  const Array above = where(equal(x, infinity), posinf.value_or(largest), x);
  const Array between = where(equal(x, -infinity), neginf.value_or(-largest), above);
  return where(isnan(x), nan, between);
}

Array sinc(const Array& x) {
  const Array y = x * std::numbers::pi;
  return where(equal(y, 0), 1.0, sin(y) / y);
}

Array polyval(std::span<const Operand> coefficients, const Array& x) {
  Array value = x * 0;
  for (const Operand& coefficient : coefficients) value = add(value * x, coefficient);
  return value;
}

Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise) {
  if (conditions.size() != choices.size() || conditions.empty())
    throw InvalidArgument("select: " + std::to_string(conditions.size()) + " conditions and " +
                              std::to_string(choices.size()) + " choices",
                          "give one choice for each condition, and one at least");
  std::vector<OperandType> types{otherwise.type()};
  for (const Operand& choice : choices) types.push_back(choice.type());
  const Scalar dtype = promote(types);
  // All at once: one by one they may promote to another dtype.
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

Array choose(const Array& index, std::span<const Operand> choices) {
  if (choices.empty()) throw InvalidArgument("choose: there are no choices", "give one at least");
  if (choices.size() == 1) return where(less_equal(index, 0), choices[0], choices[0]);
  const std::size_t last = choices.size() - 1;
  Array result = where(less_equal(index, last - 1), choices[last - 1], choices[last]);
  for (std::size_t i = last - 1; i-- > 0;) result = where(less_equal(index, i), choices[i], result);
  return result;
}

Array outer(const Array& x, const Array& y) {
  return reshape(x, {x.size(), 1}) * reshape(y, {1, y.size()});
}

Array diff(const Array& x, int times, int axis) {
  if (times < 0)
    throw InvalidArgument("diff: n is how many times, " + std::to_string(times), "it is 0 or more");
  const Array last = moveaxis(x, axis, -1);
  if (times == 0) return x;
  const Op op = x.dtype() == Scalar::boolean ? Op::not_equal : Op::subtract;
  Array value = last;
  for (int i = 0; i < times; ++i) value = apply(op, {without_first(value), without_last(value)});
  return moveaxis(value, -1, axis);
}

Array trace(const Array& x, std::int64_t offset, int axis, int other) {
  return sum(diagonal(x, offset, axis, other), {.axes = -1});
}

Array vecdot(const Array& x, const Array& y, int axis) {
  const Array product = conjugate(moveaxis(x, axis, -1)) * moveaxis(y, axis, -1);
  return sum(product, {.axes = -1, .dtype = product.dtype().scalar()});
}

Array trapezoid(const Array& y, const Operand& distance, int axis) {
  const Array last = moveaxis(y, axis, -1);
  return sum(multiply(distance, without_first(last) + without_last(last)) / 2.0, {.axes = -1});
}

Array trapezoid_at(const Array& y, const Array& x, int axis) {
  return trapezoid(y, diff(x.rank() == 1 ? x : moveaxis(x, axis, -1)), axis);
}

Array nanargmax(const Array& x, std::optional<int> axis, bool keeps_axes) {
  return place(x, axis, keeps_axes, true);
}
Array nanargmin(const Array& x, std::optional<int> axis, bool keeps_axes) {
  return place(x, axis, keeps_axes, false);
}

Array inner(const Array& x, const Array& y) { return dot(x, y); }

Array matrix_norm(const Array& x, MatrixNorm norm, bool keeps_axes) {
  if (x.rank() < 2)
    throw ShapeError("matrix_norm: an array of " + std::to_string(x.rank()) + " axes",
                     "matrices are the last two axes");
  return matrix_norm(x, norm, {-2, -1}, keeps_axes);
}

Array matrix_norm(const Array& x, MatrixNorm norm, std::pair<int, int> axes, bool keeps_axes) {
  const auto [rows, columns] = axes;
  const ReduceOptions options{.axes = {rows, columns}, .keeps_axes = keeps_axes};
  if (norm == MatrixNorm::frobenius) return array::norm(x, options);
  const bool of_columns = norm == MatrixNorm::one || norm == MatrixNorm::minus_one;
  const bool is_largest = norm == MatrixNorm::one || norm == MatrixNorm::infinity;
  const Array sums = vector_norm(x, 1, {.axes = of_columns ? rows : columns, .keeps_axes = true});
  return is_largest ? max(sums, options) : min(sums, options);
}

}  // namespace treadle::array
