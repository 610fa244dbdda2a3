// SPDX-License-Identifier: MIT
// Numbers of 8 bits: __nv_fp8_e4m3, __nv_fp8_e5m2, vectors of two and four of them. They are stored
// and converted, nothing else; the nearest number is taken, of two the even one.
//
//   e4m3   s eeee mmm   value (8 + mmm) * 2^(eeee - 10), up to 448; no infinity, one NaN: 0x7f
//   e5m2   s eeeee mm   the upper half of a __half; up to 57344, infinity 0x7c
#pragma once

#include "cuda_bf16.h"
#include "treadle/small_floats.h"

extern "C++" {
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
/// What becomes of numbers that are too large: infinity (NaN where there is none), or the largest.
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;

__TREADLE_CONSTEXPR __nv_fp8_storage_t __treadle_narrow_fp8(float x, __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t kind) {
  const unsigned digits = kind == __NV_E4M3 ? 3 : 2, lowest = kind == __NV_E4M3 ? 121 : 113;
  const unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
  if (x != x) return 0x7f;
  unsigned code = __treadle_small_code(x, digits, lowest);
  if (code > largest) code = saturation == __NV_SATFINITE ? largest : largest + 1u;
  return static_cast<__nv_fp8_storage_t>(__treadle_sign_of(x) << 7 | code);
}
/// The same number as a __half, which holds each of them.
__TREADLE_CONSTEXPR unsigned short __treadle_half_of_fp8(__nv_fp8_storage_t x,
                                                         __nv_fp8_interpretation_t kind) {
  const unsigned size = x & 0x7fu;
  if (size > (kind == __NV_E4M3 ? 0x7eu : 0x7cu)) return 0x7fff;
  unsigned bits = size << 8;
  if (kind == __NV_E4M3) {
    // A __half counts exponents from 15, this one from 7.
    const float scaled = __treadle_widen_half(static_cast<unsigned short>(size << 7)) * 256.0f;
    bits = __treadle_narrow_half(scaled);
  }
  return static_cast<unsigned short>((x & 0x80u) << 8 | bits);
}
__TREADLE_CONSTEXPR float __treadle_widen_fp8(__nv_fp8_storage_t x,
                                              __nv_fp8_interpretation_t kind) {
  return __treadle_widen_half(__treadle_half_of_fp8(x, kind));
}
/// Towards zero, saturating. NaN is told by its code: LLVM may take its conversion for any number.
template <class Integer>
__TREADLE_FUNCTION Integer __treadle_integer_of_fp8(__nv_fp8_storage_t x,
                                                    __nv_fp8_interpretation_t kind) {
  const bool is_nan = (x & 0x7fu) > (kind == __NV_E4M3 ? 0x7eu : 0x7cu);
  const Integer unknown = static_cast<Integer>(sizeof(Integer) == 8 ? 1ull << 63 : 0ull);
  return is_nan ? unknown : static_cast<Integer>(__treadle_widen_fp8(x, kind));
}

// From one number, or two, of a wider type.
#define __TREADLE_TO_FP8(function, type, value)                                           \
  __TREADLE_FUNCTION __nv_fp8_storage_t function(const type x, const __nv_saturation_t s, \
                                                 const __nv_fp8_interpretation_t kind) {  \
    return __treadle_narrow_fp8(value, s, kind);                                          \
  }
#define __TREADLE_TO_FP8X2(function, type, low, high)                                       \
  __TREADLE_FUNCTION __nv_fp8x2_storage_t function(const type x, const __nv_saturation_t s, \
                                                   const __nv_fp8_interpretation_t kind) {  \
    return static_cast<__nv_fp8x2_storage_t>(__treadle_narrow_fp8(low, s, kind) |           \
                                             __treadle_narrow_fp8(high, s, kind) << 8);     \
  }
__TREADLE_TO_FP8(__nv_cvt_float_to_fp8, float, x)
__TREADLE_TO_FP8(__nv_cvt_double_to_fp8, double, __treadle_sticky(x))
__TREADLE_TO_FP8(__nv_cvt_halfraw_to_fp8, __half_raw, __treadle_widen_half(x.x))
__TREADLE_TO_FP8(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, __treadle_widen_bfloat16(x.x))
__TREADLE_TO_FP8X2(__nv_cvt_float2_to_fp8x2, float2, x.x, x.y)
__TREADLE_TO_FP8X2(__nv_cvt_double2_to_fp8x2, double2, __treadle_sticky(x.x), __treadle_sticky(x.y))
__TREADLE_TO_FP8X2(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __treadle_widen_half(x.x),
                   __treadle_widen_half(x.y))
__TREADLE_TO_FP8X2(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw,
                   __treadle_widen_bfloat16(x.x), __treadle_widen_bfloat16(x.y))
#undef __TREADLE_TO_FP8
#undef __TREADLE_TO_FP8X2

__TREADLE_FUNCTION __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                                      const __nv_fp8_interpretation_t kind) {
  return __half_raw{__treadle_half_of_fp8(x, kind)};
}
__TREADLE_FUNCTION __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                          const __nv_fp8_interpretation_t kind) {
  return __half2_raw{__treadle_half_of_fp8(static_cast<__nv_fp8_storage_t>(x & 0xffu), kind),
                     __treadle_half_of_fp8(static_cast<__nv_fp8_storage_t>(x >> 8), kind)};
}

#define __TREADLE_STORAGE __nv_fp8_storage_t
#define __TREADLE_STORAGE2 __nv_fp8x2_storage_t
#define __TREADLE_STORAGE4 __nv_fp8x4_storage_t
#define __TREADLE_WIDTH 8
#define __TREADLE_NARROW(x) __treadle_narrow_fp8(x, __NV_SATFINITE, __TREADLE_KIND)
#define __TREADLE_WIDEN(code) __treadle_widen_fp8(code, __TREADLE_KIND)
#define __TREADLE_TO_HALF(code) __treadle_half_of_fp8(code, __TREADLE_KIND)
#define __TREADLE_TO_INTEGER(type, code) __treadle_integer_of_fp8<type>(code, __TREADLE_KIND)
#define __TREADLE_SMALL __nv_fp8_e4m3
#define __TREADLE_SMALL2 __nv_fp8x2_e4m3
#define __TREADLE_SMALL4 __nv_fp8x4_e4m3
#define __TREADLE_KIND __NV_E4M3
#include "treadle/small_float_types.h"
#define __TREADLE_SMALL __nv_fp8_e5m2
#define __TREADLE_SMALL2 __nv_fp8x2_e5m2
#define __TREADLE_SMALL4 __nv_fp8x4_e5m2
#define __TREADLE_KIND __NV_E5M2
#include "treadle/small_float_types.h"
#include "treadle/small_float_end.h"
}

#include "treadle/fp8_scale.h"
