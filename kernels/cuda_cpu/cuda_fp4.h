// SPDX-License-Identifier: MIT
// Numbers of 4 bits: __nv_fp4_e2m1, vectors of two of them in a byte and of four in two. All are
// finite: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and the same below zero.
#pragma once

#include "cuda_fp6.h"

extern "C++" {
typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

__TREADLE_CONSTEXPR __nv_fp4_storage_t __treadle_narrow_fp4(float x, __nv_fp4_interpretation_t) {
  return __treadle_narrow_finite(x, 1, 127, 7);
}
__TREADLE_CONSTEXPR float __treadle_widen_fp4(unsigned code, __nv_fp4_interpretation_t) {
  return __treadle_widen_finite(code, 1, 127, 7);
}

#define __TREADLE_WORD fp4
#define __TREADLE_STORAGE __nv_fp4_storage_t
#define __TREADLE_STORAGE2 __nv_fp4x2_storage_t
#define __TREADLE_STORAGE4 __nv_fp4x4_storage_t
#define __TREADLE_WIDTH 4
#define __TREADLE_NARROW(x) __treadle_narrow_fp4(x, __TREADLE_KIND)
#define __TREADLE_WIDEN(code) __treadle_widen_fp4(code, __TREADLE_KIND)
#define __TREADLE_TO_HALF(code) __treadle_narrow_half(__TREADLE_WIDEN(code))
#define __TREADLE_TO_INTEGER(type, code) static_cast<type>(__TREADLE_WIDEN(code))
#include "treadle/finite_conversions.h"
#define __TREADLE_SMALL __nv_fp4_e2m1
#define __TREADLE_SMALL2 __nv_fp4x2_e2m1
#define __TREADLE_SMALL4 __nv_fp4x4_e2m1
#define __TREADLE_KIND __NV_E2M1
#include "treadle/small_float_types.h"
#include "treadle/small_float_end.h"
}
