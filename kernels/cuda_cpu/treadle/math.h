// SPDX-License-Identifier: MIT
// The functions of C's <math.h>. Most are our own (math_float.h, math_double.h); the others are libm's, under its own names:
// the compiler knows them, folds them, and computes them for several threads at once where glibc's vector library can. None
// of them sets errno here.
#pragma once

// Host and device: clang takes a function of the device alone for none of its builtins.
#define __TREADLE_PURE __host__ __device__ __attribute__((const, nothrow))
#define __TREADLE_MATH_1(name)               \
  __TREADLE_PURE double name(double x);      \
  __TREADLE_PURE float name##f(float x);
#define __TREADLE_MATH_2(name)                         \
  __TREADLE_PURE double name(double x, double y);      \
  __TREADLE_PURE float name##f(float x, float y);
#define __TREADLE_MATH_AS(name, result)      \
  __TREADLE_PURE result name(double x);      \
  __TREADLE_PURE result name##f(float x);

extern "C" {
__TREADLE_MATH_1(ceil)
__TREADLE_MATH_1(fabs)
__TREADLE_MATH_1(floor)
__TREADLE_MATH_1(j0)
__TREADLE_MATH_1(j1)
__TREADLE_MATH_1(lgamma)
__TREADLE_MATH_1(logb)
__TREADLE_MATH_1(nearbyint)
__TREADLE_MATH_1(rint)
__TREADLE_MATH_1(round)
__TREADLE_MATH_1(sqrt)
__TREADLE_MATH_1(trunc)
__TREADLE_MATH_1(y0)
__TREADLE_MATH_1(y1)

__TREADLE_MATH_2(copysign)
__TREADLE_MATH_2(fdim)
__TREADLE_MATH_2(fmax)
__TREADLE_MATH_2(fmin)
__TREADLE_MATH_2(fmod)
__TREADLE_MATH_2(nextafter)
__TREADLE_MATH_2(remainder)

__TREADLE_MATH_AS(ilogb, int)
__TREADLE_MATH_AS(lrint, long)
__TREADLE_MATH_AS(lround, long)
__TREADLE_MATH_AS(llrint, long long)
__TREADLE_MATH_AS(llround, long long)

__TREADLE_PURE double tgamma(double x);
__TREADLE_PURE double fma(double x, double y, double z);
__TREADLE_PURE float fmaf(float x, float y, float z);
__TREADLE_PURE double ldexp(double x, int exponent);
__TREADLE_PURE float ldexpf(float x, int exponent);
__TREADLE_PURE double scalbn(double x, int exponent);
__TREADLE_PURE float scalbnf(float x, int exponent);
__TREADLE_PURE double scalbln(double x, long exponent);
__TREADLE_PURE float scalblnf(float x, long exponent);
__TREADLE_PURE double jn(int order, double x);
__TREADLE_PURE float jnf(int order, float x);
__TREADLE_PURE double yn(int order, double x);
__TREADLE_PURE float ynf(int order, float x);

__device__ double frexp(double x, int* exponent);
__device__ float frexpf(float x, int* exponent);
__device__ double modf(double x, double* whole);
__device__ float modff(float x, float* whole);
__device__ double remquo(double x, double y, int* quotient);
__device__ float remquof(float x, float y, int* quotient);

__TREADLE_PURE int abs(int x);
__TREADLE_PURE long labs(long x);
__TREADLE_PURE long long llabs(long long x);
}
#undef __TREADLE_MATH_1
#undef __TREADLE_MATH_2
#undef __TREADLE_MATH_AS

#include "treadle/math_float.h"
#include "treadle/math_double.h"

__TREADLE_FUNCTION void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
__TREADLE_FUNCTION void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
__TREADLE_FUNCTION double nan(const char*) { return __builtin_nan(""); }
__TREADLE_FUNCTION float nanf(const char*) { return __builtin_nanf(""); }
__TREADLE_FUNCTION int finite(double x) { return __builtin_isfinite(x); }
__TREADLE_FUNCTION int finitef(float x) { return __builtin_isfinite(x); }
// Names of CUDA's own headers, which old programs call.
__TREADLE_FUNCTION int __isnan(double x) { return __builtin_isnan(x); }
__TREADLE_FUNCTION int __isnanf(float x) { return __builtin_isnan(x); }
__TREADLE_FUNCTION int __isinf(double x) { return __builtin_isinf(x); }
__TREADLE_FUNCTION int __isinff(float x) { return __builtin_isinf(x); }
__TREADLE_FUNCTION int __finite(double x) { return __builtin_isfinite(x); }
__TREADLE_FUNCTION int __finitef(float x) { return __builtin_isfinite(x); }
__TREADLE_FUNCTION int __signbit(double x) { return __builtin_signbit(x); }
__TREADLE_FUNCTION int __signbitf(float x) { return __builtin_signbit(x); }
