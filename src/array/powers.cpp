// SPDX-License-Identifier: MIT
#include "array/powers.hpp"

#include "array/access.hpp"
#include "array/record.hpp"

namespace treadle::array {
namespace {

Array apply_to(Op op, std::initializer_list<Operand> operands) {
  return Access::array(record(op, std::span(operands.begin(), operands.size())));
}

/// Computes x * x * x and rounds to 16 bits once, as pow() does.
Array cube(const Array& x) {
  const Array wide = x.dtype() == Scalar::float16 ? in_dtype(x, Scalar::float32) : x;
  const Array product = apply_to(Op::multiply, {apply_to(Op::square, {wide}), wide});
  return in_dtype(product, x.dtype().scalar());
}

}  // namespace

std::optional<Array> known_power(const Array& base, const Number& exponent, Scalar computed) {
  const DType dtype = computed;
  if (exponent.kind() == ScalarKind::complex || computed == Scalar::boolean) return std::nullopt;
  const double number = exponent.as_double();
  const bool is_integer = dtype.is_integer();
  if (number == 2) return apply_to(Op::square, {in_dtype(base, computed)});
  if (number == 3 && dtype.kind() != ScalarKind::complex) return cube(in_dtype(base, computed));
  if (number == 1) return apply_to(Op::positive, {in_dtype(base, computed)});
  if (number == -1 && !is_integer) return apply_to(Op::reciprocal, {in_dtype(base, computed)});
  // NumPy's rule: an exponent of 0.5 means sqrt(), which differs from pow() at -0 and -infinity.
  if (number == 0.5 && !is_integer) return apply_to(Op::sqrt, {in_dtype(base, computed)});
  return std::nullopt;
}

}  // namespace treadle::array
