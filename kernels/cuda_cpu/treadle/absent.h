// SPDX-License-Identifier: MIT
// What this device does not offer: an error at the line that uses it.
#pragma once

#define __TREADLE_ABSENT(what) __attribute__((unavailable(what " is not available on the CPU device")))

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };
enum { cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3 };
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

template <class T, int dimensions = 1, int mode = 0>
struct __TREADLE_ABSENT("a texture reference") texture {};
template <class T, int dimensions = 1>
struct __TREADLE_ABSENT("a surface reference") surface {};

#define __TREADLE_ABSENT_FETCH(name, what)                               \
  template <class T, class... Arguments>                                 \
  __device__ T name(Arguments...) __TREADLE_ABSENT(what);
__TREADLE_ABSENT_FETCH(tex1Dfetch, "a texture fetch")
__TREADLE_ABSENT_FETCH(tex1D, "a texture fetch")
__TREADLE_ABSENT_FETCH(tex2D, "a texture fetch")
__TREADLE_ABSENT_FETCH(tex3D, "a texture fetch")
__TREADLE_ABSENT_FETCH(tex2DLayered, "a texture fetch")
__TREADLE_ABSENT_FETCH(surf2Dread, "a surface read")
#undef __TREADLE_ABSENT_FETCH
template <class... Arguments>
__device__ void surf2Dwrite(Arguments...) __TREADLE_ABSENT("a surface write");

/// Called for `kernel<<<grid, block>>>()` inside a kernel.
__device__ cudaError_t cudaDeviceSynchronize() __TREADLE_ABSENT("dynamic parallelism");
