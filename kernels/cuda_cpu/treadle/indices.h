// SPDX-License-Identifier: MIT
// threadIdx, blockIdx, blockDim, gridDim: objects without storage whose members ask the compiler's passes.
#pragma once

extern "C" {
__device__ __attribute__((const)) unsigned __treadle_thread_index(unsigned dimension);
__device__ __attribute__((const)) unsigned __treadle_block_index(unsigned dimension);
__device__ __attribute__((const)) unsigned __treadle_block_size(unsigned dimension);
__device__ __attribute__((const)) unsigned __treadle_grid_size(unsigned dimension);
}

#define __TREADLE_INDEX_TYPE(type, query)                                                     \
  struct type {                                                                               \
    __declspec(property(get = __get_x)) unsigned x;                                           \
    __declspec(property(get = __get_y)) unsigned y;                                           \
    __declspec(property(get = __get_z)) unsigned z;                                           \
    __TREADLE_FUNCTION unsigned __get_x() { return query(0); }                                \
    __TREADLE_FUNCTION unsigned __get_y() { return query(1); }                                \
    __TREADLE_FUNCTION unsigned __get_z() { return query(2); }                                \
    __forceinline__ __device__ operator uint3() const {                                       \
      return make_uint3(query(0), query(1), query(2));                                        \
    }                                                                                         \
    __forceinline__ __device__ operator dim3() const {                                        \
      return dim3(query(0), query(1), query(2));                                              \
    }                                                                                         \
  };

__TREADLE_INDEX_TYPE(__treadle_thread_index_type, __treadle_thread_index)
__TREADLE_INDEX_TYPE(__treadle_block_index_type, __treadle_block_index)
__TREADLE_INDEX_TYPE(__treadle_block_size_type, __treadle_block_size)
__TREADLE_INDEX_TYPE(__treadle_grid_size_type, __treadle_grid_size)
#undef __TREADLE_INDEX_TYPE

static const __device__ __treadle_thread_index_type threadIdx = {};
static const __device__ __treadle_block_index_type blockIdx = {};
static const __device__ __treadle_block_size_type blockDim = {};
static const __device__ __treadle_grid_size_type gridDim = {};
static constexpr int warpSize = 32;

/// This thread's number in its block, x running fastest.
__TREADLE_FUNCTION unsigned __treadle_linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
