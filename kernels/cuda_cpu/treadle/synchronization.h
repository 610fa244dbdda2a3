// SPDX-License-Identifier: MIT
// Barriers and fences.
#pragma once

/// kind: BarrierKind of module_abi.h. Clang keeps device calls convergent, so it is never moved across a branch.
extern "C" __device__ void __treadle_barrier(unsigned kind);
#define __TREADLE_BLOCK_BARRIER 1u
#define __TREADLE_WARP_BARRIER 2u

__TREADLE_FUNCTION void __syncthreads() { __treadle_barrier(__TREADLE_BLOCK_BARRIER); }
__TREADLE_FUNCTION void __syncwarp(unsigned = 0xffffffffu) {
  __treadle_barrier(__TREADLE_WARP_BARRIER);
}

/// Threads of the block for which `predicate` holds. Four barriers: reset, count, read, before the next use.
__TREADLE_FUNCTION int __syncthreads_count(int predicate) {
  __shared__ int __treadle_sync_count;
  __syncthreads();
  if (__treadle_linear_thread() == 0) __treadle_sync_count = 0;
  __syncthreads();
  if (predicate) __sync_fetch_and_add(&__treadle_sync_count, 1);
  __syncthreads();
  const int count = __treadle_sync_count;
  __syncthreads();
  return count;
}
__TREADLE_FUNCTION int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate != 0) != 0;
}
__TREADLE_FUNCTION int __syncthreads_and(int predicate) {
  return __syncthreads_count(predicate == 0) == 0;
}

__TREADLE_FUNCTION void __threadfence() { __sync_synchronize(); }
__TREADLE_FUNCTION void __threadfence_block() { __sync_synchronize(); }
__TREADLE_FUNCTION void __threadfence_system() { __sync_synchronize(); }
