// SPDX-License-Identifier: MIT
// How the headers of this folder say that a function runs on both sides. They are what kernels use of C++'s standard
// library, ours for both compilers, so that no header of the machine is read: what compiles here compiles everywhere.
#pragma once

#define __TREADLE_HD __host__ __device__
/// For bodies of more than one statement, which C++11 does not take in a constexpr function.
#if __cplusplus >= 201402L
#define __TREADLE_HD_CONSTEXPR __host__ __device__ constexpr
#else
#define __TREADLE_HD_CONSTEXPR __host__ __device__ inline
#endif
/// In front of a deduction guide, which clang counts among the host's functions.
#ifdef __TREADLE_CPU__
#define __TREADLE_GUIDE __host__ __device__
#else
#define __TREADLE_GUIDE
#endif

/// What host code alone may call is declared, never defined; NVRTC takes no declaration of the host's.
#ifdef __TREADLE_CPU__
#define __TREADLE_HOST __host__
#else
#define __TREADLE_HOST __device__
#endif
