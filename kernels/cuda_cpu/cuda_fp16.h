// SPDX-License-Identifier: MIT
// __half and __half2: 16-bit storage, arithmetic with one rounding per operation.
#pragma once

extern "C++" {

/// A double rounded to half once: first to single, towards odd, which keeps what the second rounding needs.
static inline __host__ __device__ _Float16 __treadle_half_of(double x) {
  float single = static_cast<float>(x);
  if (static_cast<double>(single) != x && x == x) {
    unsigned bits = __builtin_bit_cast(unsigned, single);
    const bool away = __builtin_fabs(static_cast<double>(single)) > __builtin_fabs(x);
    bits = (away ? bits - 1u : bits) | 1u;
    single = __builtin_bit_cast(float, bits);
  }
  return static_cast<_Float16>(single);
}

struct __half {
  _Float16 __value;

  __half() = default;
  __host__ __device__ constexpr __half(_Float16 value) : __value(value) {}
  __host__ __device__ constexpr __half(float value) : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ __half(double value) : __value(__treadle_half_of(value)) {}
  __host__ __device__ constexpr __half(int value) : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ constexpr __half(unsigned value) : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ constexpr __half(long value) : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ constexpr __half(unsigned long value)
      : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ constexpr __half(long long value) : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ constexpr __half(unsigned long long value)
      : __value(static_cast<_Float16>(value)) {}
  __host__ __device__ constexpr operator float() const { return static_cast<float>(__value); }
  __host__ __device__ __half& operator+=(__half other) { return *this = __value + other.__value; }
  __host__ __device__ __half& operator-=(__half other) { return *this = __value - other.__value; }
  __host__ __device__ __half& operator*=(__half other) { return *this = __value * other.__value; }
  __host__ __device__ __half& operator/=(__half other) { return *this = __value / other.__value; }
};
typedef __half half;
typedef __half __nv_half;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;

  __half2() = default;
  __host__ __device__ constexpr __half2(__half low, __half high) : x(low), y(high) {}
};
typedef __half2 half2;
typedef __half2 __nv_half2;

struct __half_raw {
  unsigned short x;
};

#define __TREADLE_HALF_OPERATOR(op, single, pair)                                     \
  __TREADLE_FUNCTION __half operator op(__half a, __half b) {                         \
    return a.__value op b.__value;                                                    \
  }                                                                                   \
  __TREADLE_FUNCTION __half2 operator op(__half2 a, __half2 b) {                      \
    return __half2(a.x op b.x, a.y op b.y);                                           \
  }                                                                                   \
  __TREADLE_FUNCTION __half single(__half a, __half b) { return a op b; }             \
  __TREADLE_FUNCTION __half2 pair(__half2 a, __half2 b) { return a op b; }
__TREADLE_HALF_OPERATOR(+, __hadd, __hadd2)
__TREADLE_HALF_OPERATOR(-, __hsub, __hsub2)
__TREADLE_HALF_OPERATOR(*, __hmul, __hmul2)
__TREADLE_HALF_OPERATOR(/, __hdiv, __h2div)
#undef __TREADLE_HALF_OPERATOR
__TREADLE_FUNCTION __half operator-(__half a) { return -a.__value; }

#define __TREADLE_HALF_COMPARE(op, single, pair)                                           \
  __TREADLE_FUNCTION bool operator op(__half a, __half b) {                                \
    return a.__value op b.__value;                                                         \
  }                                                                                        \
  __TREADLE_FUNCTION bool single(__half a, __half b) { return a.__value op b.__value; }    \
  __TREADLE_FUNCTION __half2 pair(__half2 a, __half2 b) {                                  \
    return __half2(a.x op b.x ? 1.0f : 0.0f, a.y op b.y ? 1.0f : 0.0f);                    \
  }
__TREADLE_HALF_COMPARE(==, __heq, __heq2)
__TREADLE_HALF_COMPARE(!=, __hne, __hne2)
__TREADLE_HALF_COMPARE(<, __hlt, __hlt2)
__TREADLE_HALF_COMPARE(<=, __hle, __hle2)
__TREADLE_HALF_COMPARE(>, __hgt, __hgt2)
__TREADLE_HALF_COMPARE(>=, __hge, __hge2)
#undef __TREADLE_HALF_COMPARE

__TREADLE_FUNCTION bool __hisnan(__half a) { return isnan(static_cast<float>(a)); }
__TREADLE_FUNCTION int __hisinf(__half a) {
  return isinf(static_cast<float>(a)) ? (signbit(static_cast<float>(a)) ? -1 : 1) : 0;
}
__TREADLE_FUNCTION __half __hneg(__half a) { return -a; }
__TREADLE_FUNCTION __half __habs(__half a) { return fabsf(a); }
__TREADLE_FUNCTION __half __hmin(__half a, __half b) { return fminf(a, b); }
__TREADLE_FUNCTION __half __hmax(__half a, __half b) { return fmaxf(a, b); }
__TREADLE_FUNCTION __half __hfma(__half a, __half b, __half c) {
  // Exact in double up to the one rounding at the end.
  return static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b)) +
         static_cast<double>(static_cast<float>(c));
}
__TREADLE_FUNCTION __half2 __hneg2(__half2 a) { return __half2(-a.x, -a.y); }
__TREADLE_FUNCTION __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__TREADLE_FUNCTION __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

__TREADLE_FUNCTION __half __float2half(float x) { return x; }
__TREADLE_FUNCTION __half __float2half_rn(float x) { return x; }
__TREADLE_FUNCTION __half __double2half(double x) { return x; }
__TREADLE_FUNCTION float __half2float(__half x) { return x; }
__TREADLE_FUNCTION int __half2int_rn(__half x) { return __float2int_rn(x); }
__TREADLE_FUNCTION int __half2int_rz(__half x) { return __float2int_rz(x); }
__TREADLE_FUNCTION __half __int2half_rn(int x) { return x; }
__TREADLE_FUNCTION __half __uint2half_rn(unsigned x) { return x; }
__TREADLE_FUNCTION unsigned short __half_as_ushort(__half x) {
  return __treadle_bits<unsigned short>(x.__value);
}
__TREADLE_FUNCTION short __half_as_short(__half x) { return __treadle_bits<short>(x.__value); }
__TREADLE_FUNCTION __half __ushort_as_half(unsigned short x) { return __treadle_bits<_Float16>(x); }
__TREADLE_FUNCTION __half __short_as_half(short x) { return __treadle_bits<_Float16>(x); }

__TREADLE_FUNCTION __half2 __floats2half2_rn(float a, float b) { return __half2(a, b); }
__TREADLE_FUNCTION __half2 __float2half2_rn(float a) { return __half2(a, a); }
__TREADLE_FUNCTION __half2 __float22half2_rn(float2 a) { return __half2(a.x, a.y); }
__TREADLE_FUNCTION float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
__TREADLE_FUNCTION __half2 __half2half2(__half a) { return __half2(a, a); }
__TREADLE_FUNCTION __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__TREADLE_FUNCTION __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__TREADLE_FUNCTION float __low2float(__half2 a) { return a.x; }
__TREADLE_FUNCTION float __high2float(__half2 a) { return a.y; }
__TREADLE_FUNCTION __half __low2half(__half2 a) { return a.x; }
__TREADLE_FUNCTION __half __high2half(__half2 a) { return a.y; }
__TREADLE_FUNCTION __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__TREADLE_FUNCTION __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__TREADLE_FUNCTION __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

#define __TREADLE_HALF_FUNCTION(name, function)                                              \
  __TREADLE_FUNCTION __half h##name(__half x) { return function(static_cast<float>(x)); }    \
  __TREADLE_FUNCTION __half2 h2##name(__half2 x) { return __half2(h##name(x.x), h##name(x.y)); }
__TREADLE_HALF_FUNCTION(sqrt, sqrtf)
__TREADLE_HALF_FUNCTION(rsqrt, rsqrtf)
__TREADLE_HALF_FUNCTION(exp, expf)
__TREADLE_HALF_FUNCTION(exp2, exp2f)
__TREADLE_HALF_FUNCTION(exp10, exp10f)
__TREADLE_HALF_FUNCTION(log, logf)
__TREADLE_HALF_FUNCTION(log2, log2f)
__TREADLE_HALF_FUNCTION(log10, log10f)
__TREADLE_HALF_FUNCTION(sin, sinf)
__TREADLE_HALF_FUNCTION(cos, cosf)
__TREADLE_HALF_FUNCTION(floor, floorf)
__TREADLE_HALF_FUNCTION(ceil, ceilf)
__TREADLE_HALF_FUNCTION(trunc, truncf)
__TREADLE_HALF_FUNCTION(rint, rintf)
#undef __TREADLE_HALF_FUNCTION
__TREADLE_FUNCTION __half hrcp(__half x) { return 1.0f / static_cast<float>(x); }

__TREADLE_ATOMIC_LOOP(atomicAdd, __half, unsigned short, old + value)
__TREADLE_ATOMIC_LOOP(atomicAdd, __half2, unsigned int, old + value)
}
