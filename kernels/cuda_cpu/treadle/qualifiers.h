// SPDX-License-Identifier: MIT
// CUDA's keywords, as clang's attributes, and the macros a source may test. `__noinline__` is a keyword of clang's.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __local_maxnreg__(...)
// The sizes of a cluster, in blocks: module_facts.cpp refuses all but 1.
#define __cluster_dims__(...) __attribute__((annotate("treadle-cluster", __VA_ARGS__)))
#define __TREADLE_CLUSTER(...) , __VA_ARGS__
#define __block_size__(block, ...) __attribute__((annotate("treadle-cluster" __VA_OPT__(__TREADLE_CLUSTER __VA_ARGS__))))
#define __nv_pure__ __attribute__((pure))
#define __no_return__ __attribute__((noreturn))

// What NVIDIA's own headers write, and texts that were copied from them.
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __specialization_static
#define __location__(...)
#define __annotate__(...)
#define __import__
#define __export__
#define __cdecl
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

// A source that asks is compiled at run time, by a compiler of CUDA 13.0, for a device of capability 7.0.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 700
#define __CUDA_ARCH_LIST__ 700
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000
#define __CUDART_API_VERSION 13000
/// Set on the CPU device only.
#define __TREADLE_CPU__ 1

// How our own headers define functions: in every module that uses them, and never as calls.
#define __TREADLE_FUNCTION static __inline__ __device__ __attribute__((always_inline))
#define __TREADLE_CONSTEXPR static constexpr __inline__ __host__ __device__ __attribute__((always_inline))

/// Carries what a name expression names to the compiler.
template <class T, T value>
struct __treadle_name {};
