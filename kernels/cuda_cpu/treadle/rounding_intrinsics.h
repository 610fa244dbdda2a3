// SPDX-License-Identifier: MIT
// __fadd_rn ... __dsqrt_rz: one operation with a stated rounding, never fused with its neighbours.
//
// The processor rounds to nearest. The other modes start from that result and the sign of its error, which is
// computed exactly (Dekker, Knuth; by fused multiply-add for products, quotients and roots), and step to the
// neighbouring number where the mode asks for it. Example: __fadd_rd(1, -1e-20f) is 1 - 2^-24, __fadd_rn is 1.
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
  return nearest > 0 ? __treadle_rd(nearest, error) : __treadle_ru(nearest, error);
}
template <class T>
__TREADLE_FUNCTION T __treadle_rn(T nearest, T) {
  return nearest;
}

/// Error of the rounded sum s = a + b.
template <class T>
__TREADLE_FUNCTION T __treadle_sum_error(T a, T b, T s) {
  const T b_part = s - a;
  return (a - (s - b_part)) + (b - b_part);
}
/// For the quotient and the root the error's sign is enough: that of the remainder, seen from the divisor's sign.
template <class T>
__TREADLE_FUNCTION T __treadle_signed_as(T remainder, T divisor) {
  return divisor < 0 ? -remainder : remainder;
}

#define __TREADLE_ROUNDED(type, prefix, suffix, mode)                                               \
  __TREADLE_FUNCTION type __##prefix##add_##mode(type a, type b) {                                  \
    return __treadle_##mode(a + b, __treadle_sum_error(a, b, a + b));                               \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##sub_##mode(type a, type b) {                                  \
    return __treadle_##mode(a - b, __treadle_sum_error(a, -b, a - b));                              \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##mul_##mode(type a, type b) {                                  \
    return __treadle_##mode(a * b, fma##suffix(a, b, -(a * b)));                                    \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##div_##mode(type a, type b) {                                  \
    const type q = a / b;                                                                           \
    return __treadle_##mode(q, __treadle_signed_as(fma##suffix(-q, b, a), b));                      \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##rcp_##mode(type a) {                                          \
    return __##prefix##div_##mode(static_cast<type>(1), a);                                         \
  }                                                                                                 \
  __TREADLE_FUNCTION type __##prefix##sqrt_##mode(type a) {                                         \
    const type root = sqrt##suffix(a);                                                              \
    return __treadle_##mode(root, fma##suffix(-root, root, a));                                     \
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

__TREADLE_FUNCTION float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
__TREADLE_FUNCTION double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
/// The other modes of the single fused form: exact in double but for its last addition.
#define __TREADLE_FUSED(mode)                                                                    \
  __TREADLE_FUNCTION float __fmaf_##mode(float a, float b, float c) {                            \
    const double product = static_cast<double>(a) * static_cast<double>(b);                      \
    const double sum = product + static_cast<double>(c);                                         \
    const double tail = __treadle_sum_error(product, static_cast<double>(c), sum);               \
    const float nearest = fmaf(a, b, c);                                                         \
    const double error = (sum - static_cast<double>(nearest)) + tail;                            \
    return __treadle_##mode(nearest, error < 0 ? -1.0f : error > 0 ? 1.0f : 0.0f);               \
  }
__TREADLE_FUSED(rd)
__TREADLE_FUSED(ru)
__TREADLE_FUSED(rz)
#undef __TREADLE_FUSED

/// The sign of a * b + c - nearest, where nearest is the fused result: product and sum as pairs of a rounded value and
/// its error, the parts then added from the largest down.
__TREADLE_FUNCTION double __treadle_fused_error(double a, double b, double c, double nearest) {
  const double product = a * b, product_error = fma(a, b, -product);
  const double sum = product + c, sum_error = __treadle_sum_error(product, c, sum);
  const double small = sum_error + product_error;
  const double smaller = __treadle_sum_error(sum_error, product_error, small);
  const double distance = sum - nearest;
  const double left = distance + small;
  return left + (__treadle_sum_error(distance, small, left) + smaller);
}
#define __TREADLE_FUSED(mode)                                                                    \
  __TREADLE_FUNCTION double __fma_##mode(double a, double b, double c) {                         \
    const double nearest = fma(a, b, c);                                                         \
    return __treadle_##mode(nearest, __treadle_fused_error(a, b, c, nearest));                   \
  }
__TREADLE_FUSED(rd)
__TREADLE_FUSED(ru)
__TREADLE_FUSED(rz)
#undef __TREADLE_FUSED

// Denormals count under -use_fast_math too: here they always do.
#define __TREADLE_IEEE(mode)                                                                     \
  __TREADLE_FUNCTION float __fmaf_ieee_##mode(float a, float b, float c) { return __fmaf_##mode(a, b, c); }
__TREADLE_IEEE(rn)
__TREADLE_IEEE(rd)
__TREADLE_IEEE(ru)
__TREADLE_IEEE(rz)
#undef __TREADLE_IEEE

#pragma clang fp contract(fast)
