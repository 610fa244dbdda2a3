// SPDX-License-Identifier: MIT
// __nv_bfloat16 and __nv_bfloat162: the upper halves of single precision numbers. The types and functions stand in
// treadle/short_float_*.h, once for these and __half.
#pragma once

#include <cuda_fp16.h>

extern "C++" {
#define __TREADLE_NUMBER __nv_bfloat16
#define __TREADLE_PAIR __nv_bfloat162
#define __TREADLE_OTHER __half
#define __TREADLE_RAW __nv_bfloat16_raw
#define __TREADLE_RAW_PAIR __nv_bfloat162_raw
#define __TREADLE_WORD bfloat16
#define __TREADLE_PAIR_WORD bfloat162
#define __TREADLE_DOUBLED __bfloat162bfloat162
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define __TREADLE_CONVERTS 0
#else
#define __TREADLE_CONVERTS 1
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define __TREADLE_NUMBER_OPERATORS 0
#else
#define __TREADLE_NUMBER_OPERATORS 1
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define __TREADLE_PAIR_OPERATORS 0
#else
#define __TREADLE_PAIR_OPERATORS 1
#endif
#include "treadle/short_float_types.h"
//
#include "treadle/short_float_conversions.h"
//
#include "treadle/short_float_arithmetic.h"
//
#include "treadle/short_float_comparisons.h"
//
#include "treadle/short_float_math.h"
//
#include "treadle/short_float_end.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#ifndef __CUDA_NO_HALF_CONVERSIONS__
inline __device__ __half::__half(const __nv_bfloat16 other)
    : __x(__treadle_rn(other.__treadle_widened()).__x) {}
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
inline __device__ __nv_bfloat16::__nv_bfloat16(const __half other)
    : __x(__treadle_rn(other.__treadle_widened()).__x) {}
#endif
}

#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000u))
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x8000u))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80u))
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7fu))
#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80u))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fffu))
