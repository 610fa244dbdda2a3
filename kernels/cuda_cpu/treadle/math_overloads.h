// SPDX-License-Identifier: MIT
// C++'s overloads: sin(float) is single, sin(int) is double, pow(double, int) is double, min and max of any pair.
#pragma once

#define __TREADLE_OVERLOAD_1(name) \
  __TREADLE_FUNCTION float name(float x) { return name##f(x); }
#define __TREADLE_OVERLOAD_2(name) \
  __TREADLE_FUNCTION float name(float x, float y) { return name##f(x, y); }

__TREADLE_OVERLOAD_1(acos)
__TREADLE_OVERLOAD_1(acosh)
__TREADLE_OVERLOAD_1(asin)
__TREADLE_OVERLOAD_1(asinh)
__TREADLE_OVERLOAD_1(atan)
__TREADLE_OVERLOAD_1(atanh)
__TREADLE_OVERLOAD_1(cbrt)
__TREADLE_OVERLOAD_1(ceil)
__TREADLE_OVERLOAD_1(cos)
__TREADLE_OVERLOAD_1(cosh)
__TREADLE_OVERLOAD_1(erf)
__TREADLE_OVERLOAD_1(erfc)
__TREADLE_OVERLOAD_1(exp)
__TREADLE_OVERLOAD_1(exp10)
__TREADLE_OVERLOAD_1(exp2)
__TREADLE_OVERLOAD_1(expm1)
__TREADLE_OVERLOAD_1(fabs)
__TREADLE_OVERLOAD_1(floor)
__TREADLE_OVERLOAD_1(j0)
__TREADLE_OVERLOAD_1(j1)
__TREADLE_OVERLOAD_1(lgamma)
__TREADLE_OVERLOAD_1(log)
__TREADLE_OVERLOAD_1(log10)
__TREADLE_OVERLOAD_1(log1p)
__TREADLE_OVERLOAD_1(log2)
__TREADLE_OVERLOAD_1(logb)
__TREADLE_OVERLOAD_1(nearbyint)
__TREADLE_OVERLOAD_1(rint)
__TREADLE_OVERLOAD_1(round)
__TREADLE_OVERLOAD_1(sin)
__TREADLE_OVERLOAD_1(sinh)
__TREADLE_OVERLOAD_1(sqrt)
__TREADLE_OVERLOAD_1(tan)
__TREADLE_OVERLOAD_1(tanh)
__TREADLE_OVERLOAD_1(tgamma)
__TREADLE_OVERLOAD_1(trunc)
__TREADLE_OVERLOAD_1(y0)
__TREADLE_OVERLOAD_1(y1)

__TREADLE_OVERLOAD_2(atan2)
__TREADLE_OVERLOAD_2(copysign)
__TREADLE_OVERLOAD_2(fdim)
__TREADLE_OVERLOAD_2(fmax)
__TREADLE_OVERLOAD_2(fmin)
__TREADLE_OVERLOAD_2(fmod)
__TREADLE_OVERLOAD_2(hypot)
__TREADLE_OVERLOAD_2(nextafter)
__TREADLE_OVERLOAD_2(pow)
__TREADLE_OVERLOAD_2(remainder)
// CUDA's own: the power of a float by an int stays single.
__TREADLE_FUNCTION float pow(float x, int n) { return powf(x, static_cast<float>(n)); }
#undef __TREADLE_OVERLOAD_1
#undef __TREADLE_OVERLOAD_2

__TREADLE_FUNCTION float fma(float x, float y, float z) { return fmaf(x, y, z); }
__TREADLE_FUNCTION float ldexp(float x, int exponent) { return ldexpf(x, exponent); }
__TREADLE_FUNCTION float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
__TREADLE_FUNCTION float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
__TREADLE_FUNCTION float frexp(float x, int* exponent) { return frexpf(x, exponent); }
__TREADLE_FUNCTION float modf(float x, float* whole) { return modff(x, whole); }
__TREADLE_FUNCTION float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
__TREADLE_FUNCTION float jn(int order, float x) { return jnf(order, x); }
__TREADLE_FUNCTION float yn(int order, float x) { return ynf(order, x); }
__TREADLE_FUNCTION int ilogb(float x) { return ilogbf(x); }
__TREADLE_FUNCTION long lrint(float x) { return lrintf(x); }
__TREADLE_FUNCTION long lround(float x) { return lroundf(x); }
__TREADLE_FUNCTION long long llrint(float x) { return llrintf(x); }
__TREADLE_FUNCTION long long llround(float x) { return llroundf(x); }
__TREADLE_FUNCTION void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }

#define __TREADLE_CLASSIFY(name, builtin)                                                        \
  __TREADLE_FUNCTION bool name(float x) { return builtin(x); }                                   \
  __TREADLE_FUNCTION bool name(double x) { return builtin(x); }
__TREADLE_CLASSIFY(isnan, __builtin_isnan)
__TREADLE_CLASSIFY(isinf, __builtin_isinf)
__TREADLE_CLASSIFY(isfinite, __builtin_isfinite)
__TREADLE_CLASSIFY(isnormal, __builtin_isnormal)
__TREADLE_CLASSIFY(signbit, __builtin_signbit)
#undef __TREADLE_CLASSIFY

// Of integers, and of two types: after the functions that these call.
#include "treadle/mixed_math.h"

__TREADLE_FUNCTION long abs(long x) { return labs(x); }
__TREADLE_FUNCTION long long abs(long long x) { return llabs(x); }
__TREADLE_FUNCTION float abs(float x) { return fabsf(x); }
__TREADLE_FUNCTION double abs(double x) { return fabs(x); }

#define __TREADLE_MIN_MAX(type, a, b)                                          \
  __TREADLE_CONSTEXPR type min(a x, b y) {                                     \
    return static_cast<type>(y) < static_cast<type>(x) ? static_cast<type>(y)  \
                                                       : static_cast<type>(x); \
  }                                                                            \
  __TREADLE_CONSTEXPR type max(a x, b y) {                                     \
    return static_cast<type>(x) < static_cast<type>(y) ? static_cast<type>(y)  \
                                                       : static_cast<type>(x); \
  }
#define __TREADLE_MIN_MAX_OF_INTEGER(s, u) \
  __TREADLE_MIN_MAX(s, s, s)               \
  __TREADLE_MIN_MAX(u, u, u)               \
  __TREADLE_MIN_MAX(u, s, u)               \
  __TREADLE_MIN_MAX(u, u, s)
__TREADLE_MIN_MAX_OF_INTEGER(int, unsigned int)
__TREADLE_MIN_MAX_OF_INTEGER(long, unsigned long)
__TREADLE_MIN_MAX_OF_INTEGER(long long, unsigned long long)
#undef __TREADLE_MIN_MAX_OF_INTEGER
#undef __TREADLE_MIN_MAX

__TREADLE_FUNCTION float min(float x, float y) { return fminf(x, y); }
__TREADLE_FUNCTION float max(float x, float y) { return fmaxf(x, y); }
__TREADLE_FUNCTION double min(double x, double y) { return fmin(x, y); }
__TREADLE_FUNCTION double max(double x, double y) { return fmax(x, y); }
__TREADLE_FUNCTION double min(float x, double y) { return fmin(x, y); }
__TREADLE_FUNCTION double min(double x, float y) { return fmin(x, y); }
__TREADLE_FUNCTION double max(float x, double y) { return fmax(x, y); }
__TREADLE_FUNCTION double max(double x, float y) { return fmax(x, y); }
__TREADLE_CONSTEXPR unsigned int umin(unsigned int x, unsigned int y) { return y < x ? y : x; }
__TREADLE_CONSTEXPR unsigned int umax(unsigned int x, unsigned int y) { return x < y ? y : x; }
__TREADLE_CONSTEXPR long long llmin(long long x, long long y) { return y < x ? y : x; }
__TREADLE_CONSTEXPR unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return y < x ? y : x;
}
__TREADLE_CONSTEXPR unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return x < y ? y : x;
}
__TREADLE_CONSTEXPR long long llmax(long long x, long long y) { return x < y ? y : x; }
