// SPDX-License-Identifier: MIT
#include "treadle/array/closeness.hpp"

#include <algorithm>

#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

/// Returns a number as an array without axes, in the dtype that the number takes beside `other`.
Array array_of(const Operand& operand, const Array& other) {
  if (operand.array() != nullptr) return *operand.array();
  const OperandType types[] = {operand.type(), Operand(other).type()};
  return full({}, operand.number(), promote(types), {.stream = other.stream()});
}

/// Casts integers to float64: tolerances are fractions, and distances of integers would wrap
/// around.
Array in_floating_point(const Array& x) {
  const bool is_inexact =
      x.dtype().kind() == ScalarKind::floating || x.dtype().kind() == ScalarKind::complex;
  return is_inexact ? x : in_dtype(x, Scalar::float64);
}

}  // namespace

Array isclose(const Operand& x, const Operand& y, const Tolerance& tolerance) {
  const Array* const first = x.array() != nullptr ? x.array() : y.array();
  if (first == nullptr) {
    const Array number = full({}, x.number(), x.type().scalar());
    return isclose(number, y, tolerance);
  }
  const Array a = array_of(x, *first), b = in_floating_point(array_of(y, *first));
  const Array is_near = absolute(a - b) <= tolerance.absolute + tolerance.relative * absolute(b);
  const Array found = (is_near & isfinite(b)) | (a == b);
  return tolerance.nan_equals_nan ? found | (isnan(a) & isnan(b)) : found;
}

bool allclose(const Operand& x, const Operand& y, const Tolerance& tolerance) {
  return all(isclose(x, y, tolerance)).item().as_int64() != 0;
}

bool array_equal(const Array& x, const Array& y, bool nan_equals_nan) {
  if (!std::ranges::equal(x.shape(), y.shape())) return false;
  Array same = x == y;
  if (nan_equals_nan) same = same | ((x != x) & (y != y));
  return all(same).item().as_int64() != 0;
}

bool array_equiv(const Array& x, const Array& y) {
  try {
    return all(x == y).item().as_int64() != 0;
  } catch (const ShapeError&) {
    return false;
  }
}

}  // namespace treadle::array
