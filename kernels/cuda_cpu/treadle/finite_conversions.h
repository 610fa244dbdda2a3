// SPDX-License-Identifier: MIT
// The functions that convert from and to numbers of 6 and of 4 bits, read once for each
// (cuda_fp6.h, cuda_fp4.h), where __TREADLE_WORD is fp6 or fp4. Of rounding modes there is one, the
// nearest.

#define __TREADLE_KIND_OF __TREADLE_NAME(__nv_, __TREADLE_WORD, _interpretation_t)
#define __TREADLE_NARROWED(x) __TREADLE_NAME(__treadle_narrow_, __TREADLE_WORD, )(x, kind)
#define __TREADLE_FROM_ONE(before, type, value)                                           \
  __TREADLE_CONSTEXPR __TREADLE_STORAGE __TREADLE_NAME(before, __TREADLE_WORD, )(         \
      const type x, const __TREADLE_KIND_OF kind, const cudaRoundMode) {                  \
    return __TREADLE_NARROWED(value);                                                     \
  }
#define __TREADLE_FROM_TWO(before, type, low, high)                                       \
  __TREADLE_CONSTEXPR __TREADLE_STORAGE2 __TREADLE_NAME(before, __TREADLE_WORD, x2)(      \
      const type x, const __TREADLE_KIND_OF kind, const cudaRoundMode) {                  \
    return static_cast<__TREADLE_STORAGE2>(__TREADLE_NARROWED(low) |                      \
                                           __TREADLE_NARROWED(high) << __TREADLE_WIDTH);  \
  }
__TREADLE_FROM_ONE(__nv_cvt_float_to_, float, x)
__TREADLE_FROM_ONE(__nv_cvt_double_to_, double, __treadle_sticky(x))
__TREADLE_FROM_ONE(__nv_cvt_halfraw_to_, __half_raw, __treadle_widen_half(x.x))
__TREADLE_FROM_ONE(__nv_cvt_bfloat16raw_to_, __nv_bfloat16_raw, __treadle_widen_bfloat16(x.x))
__TREADLE_FROM_TWO(__nv_cvt_float2_to_, float2, x.x, x.y)
__TREADLE_FROM_TWO(__nv_cvt_double2_to_, double2, __treadle_sticky(x.x), __treadle_sticky(x.y))
__TREADLE_FROM_TWO(__nv_cvt_halfraw2_to_, __half2_raw, __treadle_widen_half(x.x),
                   __treadle_widen_half(x.y))
__TREADLE_FROM_TWO(__nv_cvt_bfloat16raw2_to_, __nv_bfloat162_raw, __treadle_widen_bfloat16(x.x),
                   __treadle_widen_bfloat16(x.y))

__TREADLE_CONSTEXPR __half_raw __TREADLE_NAME(__nv_cvt_, __TREADLE_WORD, _to_halfraw)(
    const __TREADLE_STORAGE x, const __TREADLE_KIND_OF kind) {
  return __half_raw{
      __treadle_narrow_half(__TREADLE_NAME(__treadle_widen_, __TREADLE_WORD, )(x, kind))};
}
__TREADLE_CONSTEXPR __half2_raw __TREADLE_NAME(__nv_cvt_, __TREADLE_WORD, x2_to_halfraw2)(
    const __TREADLE_STORAGE2 x, const __TREADLE_KIND_OF kind) {
  return __half2_raw{
      __treadle_narrow_half(__TREADLE_NAME(__treadle_widen_, __TREADLE_WORD, )(x, kind)),
      __treadle_narrow_half(
          __TREADLE_NAME(__treadle_widen_, __TREADLE_WORD, )(x >> __TREADLE_WIDTH, kind))};
}
#undef __TREADLE_KIND_OF
#undef __TREADLE_NARROWED
#undef __TREADLE_FROM_ONE
#undef __TREADLE_FROM_TWO
