// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "kernel/reference/host_value.hpp"

namespace treadle::kernel {
namespace {

using Double = std::complex<double>;

template <class Z>
bool is_nan(Z z) {
  return std::isnan(z.real()) || std::isnan(z.imag());
}
// NumPy's order: by real part, then by imaginary part; a NaN is in no order to anything.
template <class Z>
bool lies_before(Z a, Z b) {
  if (a.real() == b.real()) return a.imag() < b.imag();
  return a.real() < b.real() && !std::isnan(a.imag()) && !std::isnan(b.imag());
}
template <class Z>
bool not_after(Z a, Z b) {
  return lies_before(a, b) || a == b;
}

// As on paper, without what std::complex does for infinities.
template <class Z>
Z product(Z a, Z b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// R. L. Smith, Algorithm 116, 1962: divides by the larger part, so that squares do not overflow.
template <class Z>
Z quotient(Z a, Z b) {
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    if (b.real() == 0 && b.imag() == 0)
      return {a.real() / std::fabs(b.real()), a.imag() / std::fabs(b.real())};
    const auto ratio = b.imag() / b.real(), scale = 1 / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const auto ratio = b.real() / b.imag(), scale = 1 / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

Double complex_power(Double base, Double exponent) {
  if (exponent == Double(0)) return 1;
  if (base == Double(0)) {
    if (exponent.real() > 0) return 0;
    return {std::nan(""), std::nan("")};
  }
  // Small whole exponents by products, which keeps whole results whole.
  const double whole = exponent.real();
  if (exponent.imag() == 0 && std::fabs(whole) < 100 && whole == std::floor(whole)) {
    Double result = 1, factor = base;
    for (int left = static_cast<int>(std::fabs(whole)); left != 0; left >>= 1) {
      if ((left & 1) != 0) result = product(result, factor);
      factor = product(factor, factor);
    }
    return whole < 0 ? quotient(Double(1), result) : result;
  }
  return std::pow(base, exponent);
}

Double direction_of(Double z) {
  const double size = std::hypot(z.real(), z.imag());
  if (size == 0) return 0;
  if (!std::isinf(size)) return {z.real() / size, z.imag() / size};
  // An infinite number of one infinite part has a direction, of two none.
  if (std::isinf(z.real()) && std::isinf(z.imag())) return {std::nan(""), std::nan("")};
  return std::isinf(z.real()) ? Double(std::copysign(1.0, z.real()), 0)
                              : Double(0, std::copysign(1.0, z.imag()));
}

Double expm1_of(Double z) {
  // 2 sin(y/2)^2 = 1 - cos(y), without the loss near 0.
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}
Double log1p_of(Double z) {
  return {std::log(std::hypot(z.real() + 1, z.imag())), std::atan2(z.imag(), z.real() + 1)};
}

template <class Z>
HostFunction complex_arithmetic(Op op) {
  using T = typename Z::value_type;
  switch (op) {
    case Op::add:
      return binary<Z>([](Z a, Z b) { return a + b; });
    case Op::subtract:
      return binary<Z>([](Z a, Z b) { return a - b; });
    case Op::multiply:
      return binary<Z>([](Z a, Z b) { return product(a, b); });
    case Op::divide:
      return binary<Z>([](Z a, Z b) { return quotient(a, b); });
    case Op::minimum:
      return binary<Z>([](Z a, Z b) { return is_nan(a) || not_after(a, b) ? a : b; });
    case Op::maximum:
      return binary<Z>([](Z a, Z b) { return is_nan(a) || not_after(b, a) ? a : b; });
    case Op::fmin:
      return binary<Z>([](Z a, Z b) { return is_nan(b) || not_after(a, b) ? a : b; });
    case Op::fmax:
      return binary<Z>([](Z a, Z b) { return is_nan(b) || not_after(b, a) ? a : b; });
    case Op::negative:
      return unary<Z>([](Z a) { return -a; });
    case Op::positive:
      return unary<Z>([](Z a) { return a; });
    case Op::conjugate:
      return unary<Z>([](Z a) { return std::conj(a); });
    case Op::square:
      return unary<Z>([](Z a) { return product(a, a); });
    case Op::reciprocal:
      return unary<Z>([](Z a) { return quotient(Z(1), a); });
    case Op::real:
      return unary<T, Z>([](Z a) { return a.real(); });
    case Op::imag:
      return unary<T, Z>([](Z a) { return a.imag(); });
    case Op::absolute:
      return unary<T, Z>([](Double a) { return std::hypot(a.real(), a.imag()); });
    case Op::angle:
      return unary<T, Z>([](Double a) { return std::atan2(a.imag(), a.real()); });
    case Op::rint:
      return unary<Z>([](Z a) { return Z(std::nearbyint(a.real()), std::nearbyint(a.imag())); });
    default:
      return nullptr;
  }
}

template <class Z>
HostFunction complex_predicate(Op op) {
  switch (op) {
    case Op::isnan:
      return unary<bool, Z>([](Z a) { return is_nan(a); });
    case Op::isinf:
      return unary<bool, Z>([](Z a) { return std::isinf(a.real()) || std::isinf(a.imag()); });
    case Op::isfinite:
      return unary<bool, Z>([](Z a) { return std::isfinite(a.real()) && std::isfinite(a.imag()); });
    case Op::where:
      return choice();
    default:
      return comparison<Z>(
          op, [](Z a, Z b) { return lies_before(a, b); }, [](Z a, Z b) { return a == b; });
  }
}

template <class Z>
HostFunction complex_exponential(Op op) {
  switch (op) {
    case Op::power:
      return binary<Z>([](Double a, Double b) { return complex_power(a, b); });
    case Op::sign:
      return unary<Z>([](Double a) { return direction_of(a); });
    case Op::sqrt:
      return unary<Z>([](Double a) { return std::sqrt(a); });
    case Op::exp:
      return unary<Z>([](Double a) { return std::exp(a); });
    case Op::exp2:
      return unary<Z>([](Double a) { return std::exp(a * std::numbers::ln2); });
    case Op::expm1:
      return unary<Z>([](Double a) { return expm1_of(a); });
    case Op::log:
      return unary<Z>([](Double a) { return std::log(a); });
    case Op::log2:
      return unary<Z>([](Double a) { return std::log(a) * std::numbers::log2e; });
    case Op::log10:
      return unary<Z>([](Double a) { return std::log(a) * std::numbers::log10e; });
    case Op::log1p:
      return unary<Z>([](Double a) { return log1p_of(a); });
    default:
      return nullptr;
  }
}

template <class Z>
HostFunction complex_trigonometric(Op op) {
  switch (op) {
    case Op::sin:
      return unary<Z>([](Double a) { return std::sin(a); });
    case Op::cos:
      return unary<Z>([](Double a) { return std::cos(a); });
    case Op::tan:
      return unary<Z>([](Double a) { return std::tan(a); });
    case Op::arcsin:
      return unary<Z>([](Double a) { return std::asin(a); });
    case Op::arccos:
      return unary<Z>([](Double a) { return std::acos(a); });
    case Op::arctan:
      return unary<Z>([](Double a) { return std::atan(a); });
    case Op::sinh:
      return unary<Z>([](Double a) { return std::sinh(a); });
    case Op::cosh:
      return unary<Z>([](Double a) { return std::cosh(a); });
    case Op::tanh:
      return unary<Z>([](Double a) { return std::tanh(a); });
    case Op::arcsinh:
      return unary<Z>([](Double a) { return std::asinh(a); });
    case Op::arccosh:
      return unary<Z>([](Double a) { return std::acosh(a); });
    case Op::arctanh:
      return unary<Z>([](Double a) { return std::atanh(a); });
    default:
      return nullptr;
  }
}

template <class Z>
HostFunction complex_kind(Op op) {
  for (const auto find : {complex_arithmetic<Z>, complex_exponential<Z>, complex_trigonometric<Z>})
    if (const HostFunction found = find(op)) return found;
  return complex_predicate<Z>(op);
}

}  // namespace

HostFunction complex_function(Op op, Scalar dtype) noexcept {
  return dtype == Scalar::complex64 ? complex_kind<std::complex<float>>(op)
                                    : complex_kind<std::complex<double>>(op);
}

}  // namespace treadle::kernel
