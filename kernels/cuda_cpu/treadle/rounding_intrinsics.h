// SPDX-License-Identifier: MIT
// __fadd_rn ... __dsqrt_rz: one operation with a stated rounding, never fused with its neighbours.
//
// The processor rounds to nearest. The other modes start from that result and the sign of its error, and step to the
// neighbouring number where the mode asks for it. Example: __fadd_rd(1, -1e-20f) is 1 - 2^-24, __fadd_rn is 1. The sign
// is exact everywhere, in overflow and among denormal numbers too: errors are computed by fused multiply-add and as
// Knuth's error of a sum, of floats in double precision, of doubles on numbers whose exponents were taken off before.
#pragma once

#pragma clang fp contract(off)

/// The next number above (`up`) or below x.
__TREADLE_FUNCTION float __treadle_step(float x, bool up) {
  return nextafterf(x, up ? __builtin_huge_valf() : -__builtin_huge_valf());
}
__TREADLE_FUNCTION double __treadle_step(double x, bool up) {
  return nextafter(x, up ? __builtin_huge_val() : -__builtin_huge_val());
}
/// `nearest` rounded instead down, up or to zero; `error` is what the exact result has beyond it.
template <class T>
__TREADLE_FUNCTION T __treadle_rd(T nearest, T error) {
  return error < 0 ? __treadle_step(nearest, false) : nearest;
}
template <class T>
__TREADLE_FUNCTION T __treadle_ru(T nearest, T error) {
  return error > 0 ? __treadle_step(nearest, true) : nearest;
}
template <class T>
__TREADLE_FUNCTION T __treadle_rz(T nearest, T error) {
  return __builtin_signbit(nearest) ? __treadle_ru(nearest, error) : __treadle_rd(nearest, error);
}
template <class T>
__TREADLE_FUNCTION T __treadle_rn(T nearest, T) {
  return nearest;
}
/// For the sum of two terms: x - x is +0, but -0 downwards.
template <class T>
__TREADLE_FUNCTION T __treadle_sum_rd(T nearest, T error, T a, T b) {
  const bool of_zeros = a == 0 && b == 0 && __builtin_signbit(a) == __builtin_signbit(b);
  return nearest == 0 && error == 0 && !of_zeros ? static_cast<T>(-0.0) : __treadle_rd(nearest, error);
}
#define __TREADLE_SUM(mode)                                                     \
  template <class T>                                                            \
  __TREADLE_FUNCTION T __treadle_sum_##mode(T nearest, T error, T, T) {         \
    return __treadle_##mode(nearest, error);                                    \
  }
__TREADLE_SUM(ru)
__TREADLE_SUM(rz)
__TREADLE_SUM(rn)
#undef __TREADLE_SUM

/// Error of the rounded sum s = a + b.
__TREADLE_FUNCTION double __treadle_sum_error(double a, double b, double s) {
  const double b_part = s - a;
  return (a - (s - b_part)) + (b - b_part);
}
/// As a sum of terms of falling size: what `high` + `low` + `lowest` has beyond `nearest`.
__TREADLE_FUNCTION double __treadle_beyond(double nearest, double high, double low, double lowest) {
  const double small = low + lowest, smaller = __treadle_sum_error(low, lowest, small);
  const double distance = high - nearest, left = distance + small;
  return left + (__treadle_sum_error(distance, small, left) + smaller);
}
__TREADLE_FUNCTION float __treadle_sign(double error) { return error < 0 ? -1.0f : error > 0 ? 1.0f : 0.0f; }

// In each of these `nearest` is what the processor made of it, infinite where it overflows: then the exact result,
// which is finite, is smaller. Where the arguments are infinite the error is no number, and nothing steps.
__TREADLE_FUNCTION float __treadle_fused_error(float a, float b, float c, float nearest) {
  const double product = static_cast<double>(a) * b, sum = product + c;
  return __treadle_sign(sum - nearest + __treadle_sum_error(product, c, sum));
}
__TREADLE_FUNCTION float __treadle_quotient_error(float a, float b, float nearest) {
  const double remainder = fma(-static_cast<double>(nearest), static_cast<double>(b), static_cast<double>(a));
  return __treadle_sign(b < 0 ? -remainder : remainder);
}
__TREADLE_FUNCTION float __treadle_root_error(float a, float nearest) {
  return __treadle_sign(fma(-static_cast<double>(nearest), static_cast<double>(nearest), static_cast<double>(a)));
}

/// Whether there is nothing to compute: `error` is then that of an overflow, or no number.
__TREADLE_FUNCTION bool __treadle_overflows(double nearest, bool finite, double& error) {
  error = finite ? -nearest : __builtin_nan("");
  return __builtin_isinf(nearest) || !finite;
}
__TREADLE_FUNCTION double __treadle_fused_error(double a, double b, double c, double nearest) {
  double error;
  const bool finite = __builtin_isfinite(a) && __builtin_isfinite(b) && __builtin_isfinite(c);
  if (__treadle_overflows(nearest, finite, error)) return error;
  int a_exponent, b_exponent, c_exponent;
  a = frexp(a, &a_exponent);
  b = frexp(b, &b_exponent);
  c = frexp(c, &c_exponent);
  int exponent = a_exponent + b_exponent;
  // Of a term that is so much smaller than the other the sign is enough.
  constexpr int far = 300;
  if (a == 0 || b == 0) exponent = c_exponent;
  if (c == 0) c_exponent = exponent;
  const int top = exponent > c_exponent ? exponent : c_exponent;
  const int down = exponent < top - far ? -far : exponent - top;
  const int c_down = c_exponent < top - far ? -far : c_exponent - top;
  const double product = a * b, high = ldexp(product, down), low = ldexp(fma(a, b, -product), down);
  c = ldexp(c, c_down);
  return __treadle_beyond(ldexp(nearest, -top), high + c, __treadle_sum_error(high, c, high + c), low);
}
__TREADLE_FUNCTION double __treadle_quotient_error(double a, double b, double nearest) {
  double error;
  if (__treadle_overflows(nearest, __builtin_isfinite(a) && __builtin_isfinite(b) && b != 0, error)) return error;
  int a_exponent, b_exponent;
  a = frexp(a, &a_exponent);
  b = frexp(b, &b_exponent);
  const double remainder = fma(-ldexp(nearest, b_exponent - a_exponent), b, a);
  return b < 0 ? -remainder : remainder;
}
__TREADLE_FUNCTION double __treadle_root_error(double a, double nearest) {
  if (!__builtin_isfinite(nearest)) return nearest - nearest;
  int exponent;
  frexp(a, &exponent);
  exponent = exponent / 2 * 2;
  const double root = ldexp(nearest, -exponent / 2);
  return fma(-root, root, ldexp(a, -exponent));
}

#define __TREADLE_ROUNDED(type, prefix, suffix, mode)                                               \
  __TREADLE_FUNCTION type __##prefix##add_##mode(type a, type b) {                                  \
    const type one = 1, sum = a + b;                                                                \
    return __treadle_sum_##mode(sum, __treadle_fused_error(a, one, b, sum), a, b);                  \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##sub_##mode(type a, type b) {                                  \
    return __##prefix##add_##mode(a, -b);                                                           \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##mul_##mode(type a, type b) {                                  \
    const type zero = 0, product = a * b;                                                           \
    return __treadle_##mode(product, __treadle_fused_error(a, b, zero, product));                   \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##div_##mode(type a, type b) {                                  \
    const type quotient = a / b;                                                                    \
    return __treadle_##mode(quotient, __treadle_quotient_error(a, b, quotient));                    \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##rcp_##mode(type a) {                                          \
    return __##prefix##div_##mode(static_cast<type>(1), a);                                         \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##sqrt_##mode(type a) {                                         \
    const type root = sqrt##suffix(a);                                                              \
    return __treadle_##mode(root, __treadle_root_error(a, root));                                   \
  }                                                                                                 \
  __TREADLE_FUNCTION type __fma##suffix##_##mode(type a, type b, type c) {                          \
    const type nearest = fma##suffix(a, b, c);                                                      \
    return __treadle_sum_##mode(nearest, __treadle_fused_error(a, b, c, nearest), a * b, c);        \
  }

__TREADLE_ROUNDED(float, f, f, rn)
__TREADLE_ROUNDED(float, f, f, rd)
__TREADLE_ROUNDED(float, f, f, ru)
__TREADLE_ROUNDED(float, f, f, rz)
__TREADLE_ROUNDED(double, d, , rn)
__TREADLE_ROUNDED(double, d, , rd)
__TREADLE_ROUNDED(double, d, , ru)
__TREADLE_ROUNDED(double, d, , rz)
#undef __TREADLE_ROUNDED

__TREADLE_FUNCTION float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }

// Denormals count under -use_fast_math too: here they always do.
#define __TREADLE_IEEE(mode)                                                                     \
  __TREADLE_FUNCTION float __fmaf_ieee_##mode(float a, float b, float c) { return __fmaf_##mode(a, b, c); }
__TREADLE_IEEE(rn)
__TREADLE_IEEE(rd)
__TREADLE_IEEE(ru)
__TREADLE_IEEE(rz)
#undef __TREADLE_IEEE

// It would hold behind this header, and there is no pop: back to what the program asked for by --fmad.
#if __TREADLE_FMAD
#pragma clang fp contract(fast)
#endif
