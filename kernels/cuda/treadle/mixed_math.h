// SPDX-License-Identifier: MIT
// C++'s functions of <cmath> for integers, and for two numbers of different types: sqrt(int), pow(float, double) and
// atan2(int, int) are double. The CPU device's prelude has them; NVRTC gets them where it finds a call ambiguous.
#pragma once

extern "C++" {

/// What arithmetic type T is: 1 an integer, 2 a float, 3 a double, 0 none.
template <class T>
struct __treadle_number {
  enum { kind = 0 };
};
#define __TREADLE_NUMBER(type, number) \
  template <>                          \
  struct __treadle_number<type> {      \
    enum { kind = number };            \
  };
__TREADLE_NUMBER(bool, 1)
__TREADLE_NUMBER(char, 1)
__TREADLE_NUMBER(signed char, 1)
__TREADLE_NUMBER(unsigned char, 1)
__TREADLE_NUMBER(wchar_t, 1)
__TREADLE_NUMBER(char16_t, 1)
__TREADLE_NUMBER(char32_t, 1)
__TREADLE_NUMBER(short, 1)
__TREADLE_NUMBER(unsigned short, 1)
__TREADLE_NUMBER(int, 1)
__TREADLE_NUMBER(unsigned int, 1)
__TREADLE_NUMBER(long, 1)
__TREADLE_NUMBER(unsigned long, 1)
__TREADLE_NUMBER(long long, 1)
__TREADLE_NUMBER(unsigned long long, 1)
__TREADLE_NUMBER(float, 2)
__TREADLE_NUMBER(double, 3)
#undef __TREADLE_NUMBER

template <bool condition, class T>
struct __treadle_enable_if {};
template <class T>
struct __treadle_enable_if<true, T> {
  typedef T type;
};

/// Result, for an integer; otherwise nothing.
template <class T, class Result>
struct __treadle_of_integer : __treadle_enable_if<__treadle_number<T>::kind == 1, Result> {};

/// double, for two numbers that are not both float or both double; otherwise nothing.
template <class T, class U>
struct __treadle_mixed
    : __treadle_enable_if<(__treadle_number<T>::kind != 0 && __treadle_number<U>::kind != 0 &&
                           (__treadle_number<T>::kind != __treadle_number<U>::kind ||
                            __treadle_number<T>::kind == 1)),
                          double> {};

#define __TREADLE_OF_INTEGER(result, name)                                                     \
  template <class T>                                                                           \
  __host__ __device__ inline typename __treadle_of_integer<T, result>::type name(T x) {        \
    return name(static_cast<double>(x));                                                       \
  }                                                                                            \
  namespace std {                                                                              \
  using ::name;                                                                                \
  }
#define __TREADLE_OF_INTEGER_AND_INT(name)                                                     \
  template <class T>                                                                           \
  __host__ __device__ inline typename __treadle_of_integer<T, double>::type name(T x, int n) { \
    return name(static_cast<double>(x), n);                                                    \
  }                                                                                            \
  namespace std {                                                                              \
  using ::name;                                                                                \
  }
#define __TREADLE_OF_TWO(name)                                                                 \
  template <class T, class U>                                                                  \
  __host__ __device__ inline typename __treadle_mixed<T, U>::type name(T x, U y) {             \
    return name(static_cast<double>(x), static_cast<double>(y));                               \
  }                                                                                            \
  namespace std {                                                                              \
  using ::name;                                                                                \
  }

__TREADLE_OF_INTEGER(double, acos)
__TREADLE_OF_INTEGER(double, acosh)
__TREADLE_OF_INTEGER(double, asin)
__TREADLE_OF_INTEGER(double, asinh)
__TREADLE_OF_INTEGER(double, atan)
__TREADLE_OF_INTEGER(double, atanh)
__TREADLE_OF_INTEGER(double, cbrt)
__TREADLE_OF_INTEGER(double, ceil)
__TREADLE_OF_INTEGER(double, cos)
__TREADLE_OF_INTEGER(double, cosh)
__TREADLE_OF_INTEGER(double, erf)
__TREADLE_OF_INTEGER(double, erfc)
__TREADLE_OF_INTEGER(double, exp)
__TREADLE_OF_INTEGER(double, exp10)
__TREADLE_OF_INTEGER(double, exp2)
__TREADLE_OF_INTEGER(double, expm1)
__TREADLE_OF_INTEGER(double, fabs)
__TREADLE_OF_INTEGER(double, floor)
__TREADLE_OF_INTEGER(double, j0)
__TREADLE_OF_INTEGER(double, j1)
__TREADLE_OF_INTEGER(double, lgamma)
__TREADLE_OF_INTEGER(double, log)
__TREADLE_OF_INTEGER(double, log10)
__TREADLE_OF_INTEGER(double, log1p)
__TREADLE_OF_INTEGER(double, log2)
__TREADLE_OF_INTEGER(double, logb)
__TREADLE_OF_INTEGER(double, nearbyint)
__TREADLE_OF_INTEGER(double, rint)
__TREADLE_OF_INTEGER(double, round)
__TREADLE_OF_INTEGER(double, sin)
__TREADLE_OF_INTEGER(double, sinh)
__TREADLE_OF_INTEGER(double, sqrt)
__TREADLE_OF_INTEGER(double, tan)
__TREADLE_OF_INTEGER(double, tanh)
__TREADLE_OF_INTEGER(double, tgamma)
__TREADLE_OF_INTEGER(double, trunc)
__TREADLE_OF_INTEGER(double, y0)
__TREADLE_OF_INTEGER(double, y1)
__TREADLE_OF_INTEGER(int, ilogb)
__TREADLE_OF_INTEGER(long, lrint)
__TREADLE_OF_INTEGER(long, lround)
__TREADLE_OF_INTEGER(long long, llrint)
__TREADLE_OF_INTEGER(long long, llround)
__TREADLE_OF_INTEGER(bool, isnan)
__TREADLE_OF_INTEGER(bool, isinf)
__TREADLE_OF_INTEGER(bool, isfinite)
__TREADLE_OF_INTEGER(bool, signbit)
#ifdef __TREADLE_CPU__  // NVRTC has no isnormal()
__TREADLE_OF_INTEGER(bool, isnormal)
#endif
__TREADLE_OF_INTEGER_AND_INT(ldexp)
__TREADLE_OF_INTEGER_AND_INT(scalbn)
__TREADLE_OF_TWO(atan2)
__TREADLE_OF_TWO(copysign)
__TREADLE_OF_TWO(fdim)
__TREADLE_OF_TWO(fmax)
__TREADLE_OF_TWO(fmin)
__TREADLE_OF_TWO(fmod)
__TREADLE_OF_TWO(hypot)
__TREADLE_OF_TWO(nextafter)
__TREADLE_OF_TWO(pow)
__TREADLE_OF_TWO(remainder)
#undef __TREADLE_OF_INTEGER
#undef __TREADLE_OF_INTEGER_AND_INT
#undef __TREADLE_OF_TWO

}  // extern "C++"
