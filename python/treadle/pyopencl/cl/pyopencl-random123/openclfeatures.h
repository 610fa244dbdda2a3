// SPDX-License-Identifier: MIT
// What the generators need of OpenCL C, under names that do not depend on the device.
#pragma once

#define R123_STATIC_INLINE static inline
#define R123_FORCE_INLINE(declaration) declaration
#define R123_CUDA_DEVICE
#define R123_USE_MULHILO32_MULHI_INTRIN 1
#define R123_USE_MULHILO64_OPENCL_INTRIN 1
#define R123_ASSERT(condition)

typedef uint uint32_t;
typedef ulong uint64_t;
