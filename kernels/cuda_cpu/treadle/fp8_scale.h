// SPDX-License-Identifier: MIT
// __nv_fp8_e8m0: powers of two from 2^-127 to 2^127, by which blocks of small numbers are scaled;
// 255 is NaN. It has no sign: that of what is converted is dropped.
#pragma once

#include "small_floats.h"

extern "C++" {
/// Up, or towards zero: the two there are. What is too large becomes the largest, or NaN.
__TREADLE_CONSTEXPR __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float x,
                                                              const __nv_saturation_t saturation,
                                                              const cudaRoundMode rounding) {
  const unsigned size = __builtin_bit_cast(unsigned, x) & 0x7fffffffu;
  if (size > 0x7f800000u) return 255;
  unsigned code = size >> 23;
  // Of denormal numbers 0x400000 is 2^-127, the code 0.
  if (rounding == cudaRoundPosInf) code += (size & 0x7fffffu) > (code == 0 ? 0x400000u : 0u);
  if (code > 254) code = saturation == __NV_SATFINITE ? 254 : 255;
  return static_cast<__nv_fp8_storage_t>(code);
}
__TREADLE_CONSTEXPR __nv_fp8_storage_t __nv_cvt_double_to_e8m0(const double x,
                                                               const __nv_saturation_t saturation,
                                                               const cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__treadle_sticky(x), saturation, rounding);
}
__TREADLE_CONSTEXPR __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(
    const __nv_bfloat16_raw x, const __nv_saturation_t saturation, const cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__treadle_widen_bfloat16(x.x), saturation, rounding);
}
__TREADLE_CONSTEXPR __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{
      static_cast<unsigned short>(x == 255 ? 0x7fffu : x == 0 ? 0x40u : unsigned(x) << 7)};
}

struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  __device__ explicit __nv_fp8_e8m0(const float x)
      : __x(__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
  __device__ explicit __nv_fp8_e8m0(const double x) : __nv_fp8_e8m0(__treadle_sticky(x)) {}
  __device__ explicit __nv_fp8_e8m0(const __half x) : __nv_fp8_e8m0(__half2float(x)) {}
  __device__ explicit __nv_fp8_e8m0(const __nv_bfloat16 x) : __nv_fp8_e8m0(__bfloat162float(x)) {}
  __device__ explicit operator __nv_bfloat16() const {
    return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x));
  }
  __device__ explicit operator float() const {
    return __treadle_widen_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x).x);
  }
  __device__ explicit operator double() const { return static_cast<float>(*this); }
  __device__ explicit operator __half() const { return __float2half(static_cast<float>(*this)); }
};
}
