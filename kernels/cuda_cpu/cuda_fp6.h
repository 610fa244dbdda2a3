// SPDX-License-Identifier: MIT
// Numbers of 6 bits: __nv_fp6_e2m3, __nv_fp6_e3m2, vectors of two and four of them, a byte for each.
// All are finite.
//
//   e2m3   s ee mmm   up to 7.5        e3m2   s eee mm   up to 28
#pragma once

#include "cuda_fp8.h"

extern "C++" {
typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

__TREADLE_CONSTEXPR __nv_fp6_storage_t __treadle_narrow_fp6(float x,
                                                            __nv_fp6_interpretation_t kind) {
  return kind == __NV_E2M3 ? __treadle_narrow_finite(x, 3, 127, 31)
                           : __treadle_narrow_finite(x, 2, 125, 31);
}
__TREADLE_CONSTEXPR float __treadle_widen_fp6(unsigned code, __nv_fp6_interpretation_t kind) {
  return kind == __NV_E2M3 ? __treadle_widen_finite(code, 3, 127, 31)
                           : __treadle_widen_finite(code, 2, 125, 31);
}

#define __TREADLE_WORD fp6
#define __TREADLE_STORAGE __nv_fp6_storage_t
#define __TREADLE_STORAGE2 __nv_fp6x2_storage_t
#define __TREADLE_STORAGE4 __nv_fp6x4_storage_t
#define __TREADLE_WIDTH 8
#define __TREADLE_NARROW(x) __treadle_narrow_fp6(x, __TREADLE_KIND)
#define __TREADLE_WIDEN(code) __treadle_widen_fp6(code, __TREADLE_KIND)
#define __TREADLE_TO_HALF(code) __treadle_narrow_half(__TREADLE_WIDEN(code))
#define __TREADLE_TO_INTEGER(type, code) static_cast<type>(__TREADLE_WIDEN(code))
#include "treadle/finite_conversions.h"
#define __TREADLE_SMALL __nv_fp6_e2m3
#define __TREADLE_SMALL2 __nv_fp6x2_e2m3
#define __TREADLE_SMALL4 __nv_fp6x4_e2m3
#define __TREADLE_KIND __NV_E2M3
#include "treadle/small_float_types.h"
#define __TREADLE_SMALL __nv_fp6_e3m2
#define __TREADLE_SMALL2 __nv_fp6x2_e3m2
#define __TREADLE_SMALL4 __nv_fp6x4_e3m2
#define __TREADLE_KIND __NV_E3M2
#include "treadle/small_float_types.h"
#include "treadle/small_float_end.h"
}
