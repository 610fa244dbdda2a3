// SPDX-License-Identifier: MIT
#include "treadle/array/elementwise.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
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

/// Of each element of the last two axes its column less its row.
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

/// In the dtype of functions of real numbers: NumPy has the same for these.
Array scaled(const Array& x, double factor) {
  const DType dtype = resolve(Op::fabs, Operand(x).type()).result;
  return in_dtype(x, dtype) * factor;
}

/// Whether a limit of clip() changes anything: not an integer beyond the dtype's.
bool limits(const Array& x, const Operand& limit, IntegerFit beyond) {
  if (!x.dtype().is_integer() || !(limit.type() == OperandType(Weak::integer))) return true;
  return fit_of(x.dtype().scalar(), limit.number()) != beyond;
}

}  // namespace

Array clip(const Array& x, const std::optional<Operand>& low, const std::optional<Operand>& high) {
  // As NumPy: whole numbers beyond the dtype are no limits.
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
  return power(base ? Operand(base) : Operand::typed(x.number(), dtype),
               exponent ? Operand(exponent) : Operand::typed(y.number(), dtype));
}
Array isposinf(const Array& x) { return x == std::numeric_limits<double>::infinity(); }
Array isneginf(const Array& x) { return x == -std::numeric_limits<double>::infinity(); }
Array iscomplex(const Array& x) { return imag(x) != 0; }
Array isreal(const Array& x) { return imag(x) == 0; }

}  // namespace treadle::array
