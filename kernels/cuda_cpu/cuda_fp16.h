// SPDX-License-Identifier: MIT
// __half and __half2: IEEE numbers of 16 bits. The types and functions stand in treadle/short_float_*.h, once for
// these and __nv_bfloat16.
#pragma once

extern "C++" {
#include "treadle/short_float_bits.h"

#define __TREADLE_NUMBER __half
#define __TREADLE_PAIR __half2
#define __TREADLE_OTHER __nv_bfloat16
#define __TREADLE_RAW __half_raw
#define __TREADLE_RAW_PAIR __half2_raw
#define __TREADLE_WORD half
#define __TREADLE_PAIR_WORD half2
#define __TREADLE_DOUBLED __half2half2
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define __TREADLE_CONVERTS 0
#else
#define __TREADLE_CONVERTS 1
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define __TREADLE_NUMBER_OPERATORS 0
#else
#define __TREADLE_NUMBER_OPERATORS 1
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
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

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif
}

#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000u))
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x8000u))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00u))
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(static_cast<unsigned short>(0x0001u))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bffu))
#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00u))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fffu))
