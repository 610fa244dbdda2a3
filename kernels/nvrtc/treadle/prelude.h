// SPDX-License-Identifier: MIT Included before every source that NVRTC compiles: what nvcc's host
// headers bring in silently and NVRTC lacks. Macros and declarations only, for it is parsed at
// every compile. The shims beside it (stdint.h, cmath, ...) are empty where the prelude already
// says it all; they may be included inside extern "C" { }.
#pragma once

#include <treadle/c_math_constants.h>

// A text may ask for nvcc, which NVRTC stands in for.
#ifndef __NVCC__
#define __NVCC__ 1
#endif
// C++17 took the word away; nvcc still takes it, with a warning.
#if __cplusplus >= 201703L
#define register
#endif

// GNU's spellings, which nvcc takes from its host compiler.
#define __asm asm
#define __asm__ asm
#define __const const
#define __const__ const
#define __signed signed
#define __signed__ signed
#define __extension__
#define __alignof __alignof__
template <class T>
struct __treadle_typeof {
  typedef T type;
};
template <class T>
struct __treadle_typeof<T&> {
  typedef T type;
};
#define __typeof(...) typename __treadle_typeof<decltype((__VA_ARGS__))>::type
#define __typeof__ __typeof

typedef unsigned char uchar, u_char, u_int8_t;
typedef unsigned short ushort, u_short, u_int16_t;
typedef unsigned int uint, u_int, u_int32_t;
typedef unsigned long ulong, u_long, u_int64_t;
typedef long ssize_t;

// The 64-bit ones are long long, as in NVIDIA's own headers for NVRTC; with another type those
// would not compile.
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t, int_fast16_t;
typedef int32_t int_least32_t, int_fast32_t;
typedef int64_t int_least64_t, int_fast64_t, intmax_t, intptr_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t, uint_fast16_t;
typedef uint32_t uint_least32_t, uint_fast32_t;
typedef uint64_t uint_least64_t, uint_fast64_t, uintmax_t, uintptr_t;
typedef unsigned long long CUdeviceptr;

// For graphs with conditional nodes; the driver itself has the function.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1204
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                                   unsigned int value);
#endif

// NVIDIA's C++ headers define these too; the same words, so that neither is a redefinition.
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 0x7fffffff
#define UINT_MAX 0xffffffff
#define LONG_MIN (-LONG_MAX - 1)
#define LONG_MAX LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL

#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LLONG_MIN
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#define INT8_C(X) ((::int_least8_t)(X))
#define INT16_C(X) ((::int_least16_t)(X))
#define INT32_C(X) ((::int_least32_t)(X))
#define INT64_C(X) ((::int_least64_t)(X))
#define UINT8_C(X) ((::uint_least8_t)(X))
#define UINT16_C(X) ((::uint_least16_t)(X))
#define UINT32_C(X) ((::uint_least32_t)(X))
#define UINT64_C(X) ((::uint_least64_t)(X))

#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_DECIMAL_DIG 9
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MAX 3.402823466385288598e+38f
#define FLT_MIN 1.175494350822287508e-38f
#define FLT_TRUE_MIN 1.401298464324817071e-45f
#define FLT_EPSILON 1.192092895507812500e-7f
#endif
#ifndef DBL_MAX
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_DECIMAL_DIG 17
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MAX 1.7976931348623157081e+308
#define DBL_MIN 2.2250738585072013831e-308
#define DBL_TRUE_MIN 4.9406564584124654418e-324
#define DBL_EPSILON 2.2204460492503130808e-16
#endif

#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000ll))
#define HUGE_VALF INFINITY
#endif
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
#ifndef offsetof
#define offsetof(type, member) (reinterpret_cast<size_t>(&(static_cast<type*>(nullptr)->member)))
#endif

namespace std {

using ::ptrdiff_t;
using ::size_t;
typedef decltype(nullptr) nullptr_t;

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intmax_t;
using ::intptr_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintmax_t;
using ::uintptr_t;

using ::memcpy;
using ::memset;
using ::printf;

// NVRTC declares these for float and double under one name.
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;

}  // namespace std
