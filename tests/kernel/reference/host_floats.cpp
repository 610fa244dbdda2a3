// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernel/reference/host_value.hpp"

namespace treadle::kernel {
namespace {

// The rest that has the divisor's sign, and the quotient that belongs to it.
template <class C>
C rest_like_divisor(C a, C b) {
  C rest = std::fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return std::copysign(C{0}, b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}
template <class C>
C floored_quotient(C a, C b) {
  if (b == 0) return a / b;
  const C rest = std::fmod(a, b);
  C quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(C{0}, a / b);
  // The quotient is whole but for the rounding of its division.
  const C whole = std::floor(quotient);
  return quotient - whole > C{0.5} ? whole + 1 : whole;
}

template <class T>
HostFunction floating_arithmetic(Op op) {
  using C = Computed<T>;
  switch (op) {
    case Op::add:
      return binary<T>([](C a, C b) { return a + b; });
    case Op::subtract:
      return binary<T>([](C a, C b) { return a - b; });
    case Op::multiply:
      return binary<T>([](C a, C b) { return a * b; });
    case Op::divide:
      return binary<T>([](C a, C b) { return a / b; });
    case Op::floor_divide:
      return binary<T>([](C a, C b) { return floored_quotient(a, b); });
    case Op::remainder:
      return binary<T>([](C a, C b) { return rest_like_divisor(a, b); });
    case Op::fmod:
      return binary<T>([](C a, C b) { return std::fmod(a, b); });
    case Op::minimum:
      return binary<T>([](C a, C b) { return a <= b || std::isnan(a) ? a : b; });
    case Op::maximum:
      return binary<T>([](C a, C b) { return a >= b || std::isnan(a) ? a : b; });
    case Op::fmin:
      return binary<T>([](C a, C b) { return a <= b || std::isnan(b) ? a : b; });
    case Op::fmax:
      return binary<T>([](C a, C b) { return a >= b || std::isnan(b) ? a : b; });
    case Op::negative:
      return unary<T>([](C a) { return -a; });
    case Op::positive:
    case Op::conjugate:
    case Op::real:
      return unary<T>([](C a) { return a; });
    case Op::imag:
      return unary<T>([](C) { return C{0}; });
    case Op::absolute:
    case Op::fabs:
      return unary<T>([](C a) { return std::fabs(a); });
    case Op::sign:
      return unary<T>([](C a) { return a > 0 ? C{1} : a < 0 ? C{-1} : a == 0 ? C{0} : a; });
    case Op::square:
      return unary<T>([](C a) { return a * a; });
    case Op::reciprocal:
      return unary<T>([](C a) { return 1 / a; });
    case Op::sqrt:
      return unary<T>([](C a) { return std::sqrt(a); });
    default:
      return nullptr;
  }
}

template <class T>
HostFunction floating_predicate(Op op) {
  using C = Computed<T>;
  switch (op) {
    case Op::isnan:
      return unary<bool, T>([](C a) { return std::isnan(a); });
    case Op::isinf:
      return unary<bool, T>([](C a) { return std::isinf(a); });
    case Op::isfinite:
      return unary<bool, T>([](C a) { return std::isfinite(a); });
    case Op::signbit:
      return unary<bool, T>([](C a) { return std::signbit(a); });
    case Op::where:
      return choice();
    default:
      return comparison<T>(op, [](C a, C b) { return a < b; }, [](C a, C b) { return a == b; });
  }
}

// Neighbours are those of T itself. Those of halves are one apart in their bits, without the sign.
template <class T>
HostFunction nextafter_function() {
  if constexpr (!std::same_as<T, Half>)
    return binary<T>([](T a, T b) { return std::nextafter(a, b); });
  else
    return binary<Half>([](float a, float b) {
      if (std::isnan(a) || std::isnan(b)) return a + b;
      if (a == b) return b;
      const std::uint16_t bits = half_from(std::fabs(a));
      if (bits == 0) return std::copysign(static_cast<float>(half_value(1)), b);
      const bool away = (a < b) == (a > 0);
      const int next = away ? bits + 1 : bits - 1;
      return std::copysign(static_cast<float>(half_value(static_cast<std::uint16_t>(next))), a);
    });
}

double logaddexp_of(double a, double b) {
  if (a == b) return a + std::numbers::ln2;  // infinities of one sign, too
  const double apart = a - b;
  if (apart > 0) return a + std::log1p(std::exp(-apart));
  return apart <= 0 ? b + std::log1p(std::exp(apart)) : apart;
}
double logaddexp2_of(double a, double b) {
  if (a == b) return a + 1;
  const double apart = a - b;
  if (apart > 0) return a + std::log1p(std::exp2(-apart)) * std::numbers::log2e;
  return apart <= 0 ? b + std::log1p(std::exp2(apart)) * std::numbers::log2e : apart;
}
double heaviside_of(double a, double at_zero) {
  if (std::isnan(a)) return a;
  return a == 0 ? at_zero : a < 0 ? 0.0 : 1.0;
}

template <class T>
HostFunction two_operand_function(Op op) {
  switch (op) {
    case Op::power:
      return binary<T>([](double a, double b) { return std::pow(a, b); });
    case Op::arctan2:
      return binary<T>([](double a, double b) { return std::atan2(a, b); });
    case Op::hypot:
      return binary<T>([](double a, double b) { return std::hypot(a, b); });
    case Op::copysign:
      return binary<T>([](double a, double b) { return std::copysign(a, b); });
    case Op::nextafter:
      return nextafter_function<T>();
    case Op::logaddexp:
      return binary<T>([](double a, double b) { return logaddexp_of(a, b); });
    case Op::logaddexp2:
      return binary<T>([](double a, double b) { return logaddexp2_of(a, b); });
    case Op::heaviside:
      return binary<T>([](double a, double b) { return heaviside_of(a, b); });
    default:
      return nullptr;
  }
}

template <class T>
HostFunction exponential_function(Op op) {
  switch (op) {
    case Op::cbrt:
      return unary<T>([](double a) { return std::cbrt(a); });
    case Op::rsqrt:
      return unary<T>([](double a) { return 1 / std::sqrt(a); });
    case Op::exp:
      return unary<T>([](double a) { return std::exp(a); });
    case Op::exp2:
      return unary<T>([](double a) { return std::exp2(a); });
    case Op::exp10:
      return unary<T>([](double a) { return std::pow(10.0, a); });
    case Op::expm1:
      return unary<T>([](double a) { return std::expm1(a); });
    case Op::log:
      return unary<T>([](double a) { return std::log(a); });
    case Op::log2:
      return unary<T>([](double a) { return std::log2(a); });
    case Op::log10:
      return unary<T>([](double a) { return std::log10(a); });
    case Op::log1p:
      return unary<T>([](double a) { return std::log1p(a); });
    case Op::erf:
      return unary<T>([](double a) { return std::erf(a); });
    case Op::erfc:
      return unary<T>([](double a) { return std::erfc(a); });
    case Op::lgamma:
      return unary<T>([](double a) { return std::lgamma(a); });
    case Op::tgamma:
      return unary<T>([](double a) { return std::tgamma(a); });
    default:
      return nullptr;
  }
}

template <class T>
HostFunction trigonometric_function(Op op) {
  switch (op) {
    case Op::sin:
      return unary<T>([](double a) { return std::sin(a); });
    case Op::cos:
      return unary<T>([](double a) { return std::cos(a); });
    case Op::tan:
      return unary<T>([](double a) { return std::tan(a); });
    case Op::arcsin:
      return unary<T>([](double a) { return std::asin(a); });
    case Op::arccos:
      return unary<T>([](double a) { return std::acos(a); });
    case Op::arctan:
      return unary<T>([](double a) { return std::atan(a); });
    case Op::angle:
      return unary<T>([](double a) { return std::atan2(0.0, a); });
    case Op::sinh:
      return unary<T>([](double a) { return std::sinh(a); });
    case Op::cosh:
      return unary<T>([](double a) { return std::cosh(a); });
    case Op::tanh:
      return unary<T>([](double a) { return std::tanh(a); });
    case Op::arcsinh:
      return unary<T>([](double a) { return std::asinh(a); });
    case Op::arccosh:
      return unary<T>([](double a) { return std::acosh(a); });
    case Op::arctanh:
      return unary<T>([](double a) { return std::atanh(a); });
    default:
      return nullptr;
  }
}

// Where a number is cut into parts. Exact in every type.
template <class T>
HostFunction parts_function(Op op) {
  switch (op) {
    case Op::floor:
      return unary<T>([](double a) { return std::floor(a); });
    case Op::ceil:
      return unary<T>([](double a) { return std::ceil(a); });
    case Op::trunc:
    case Op::modf_integer:
      return unary<T>([](double a) { return std::trunc(a); });
    case Op::rint:
      return unary<T>([](double a) { return std::nearbyint(a); });
    case Op::modf_fraction:
      return unary<T>([](double a) {
        double whole;
        return std::modf(a, &whole);
      });
    case Op::frexp_mantissa:
      return unary<T>([](double a) {
        int exponent;
        return std::frexp(a, &exponent);
      });
    case Op::frexp_exponent:
      return unary<std::int32_t, T>([](double a) {
        int exponent = 0;
        if (std::isfinite(a)) std::frexp(a, &exponent);
        return exponent;
      });
    default:
      return nullptr;
  }
}

template <class R, class T>
HostFunction complex_of_parts() {
  return binary<R, T>([](T real, T imag) { return R(real, imag); });
}

template <class T>
HostFunction floating(Op op) {
  for (const auto find : {floating_arithmetic<T>, two_operand_function<T>, exponential_function<T>,
                          trigonometric_function<T>, parts_function<T>})
    if (const HostFunction found = find(op)) return found;
  return floating_predicate<T>(op);
}

// Beyond these every number is 0 or infinite.
template <class T, class E>
HostFunction ldexp_by() {
  return binary<T, T, E>([](double a, E exponent) {
    return std::ldexp(a, static_cast<int>(std::clamp<E>(exponent, -9999, 9999)));
  });
}
template <class T>
HostFunction ldexp_of(Scalar exponent) {
  return exponent == Scalar::int32 ? ldexp_by<T, std::int32_t>() : ldexp_by<T, std::int64_t>();
}

}  // namespace

HostFunction floating_function(Op op, Scalar dtype) noexcept {
  if (dtype == Scalar::float16) return floating<Half>(op);
  if (op == Op::make_complex)
    return dtype == Scalar::float32 ? complex_of_parts<std::complex<float>, float>()
                                    : complex_of_parts<std::complex<double>, double>();
  return dtype == Scalar::float32 ? floating<float>(op) : floating<double>(op);
}

HostFunction ldexp_function(Scalar dtype, Scalar exponent) noexcept {
  if (dtype == Scalar::float16) return ldexp_of<Half>(exponent);
  return dtype == Scalar::float32 ? ldexp_of<float>(exponent) : ldexp_of<double>(exponent);
}

}  // namespace treadle::kernel
