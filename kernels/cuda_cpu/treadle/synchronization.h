// SPDX-License-Identifier: MIT
// Barriers and fences.
#pragma once

/// kind: BarrierKind of module_abi.h. Clang keeps device calls convergent, so it is never moved
/// across a branch.
extern "C" __device__ void __treadle_barrier(unsigned kind);
#define __TREADLE_SCHEDULING_BARRIER 0u
#define __TREADLE_BLOCK_BARRIER 1u
#define __TREADLE_NAMED_WARP_BARRIER 3u
#define __TREADLE_WHOLE_WARP_BARRIER 4u
#define __TREADLE_CONVERGENCE 5u
#define __TREADLE_GRID_BARRIER 6u
#define __TREADLE_TILE_BARRIER 7u
extern "C" {
/// One word a thread: who it waits for in front of a named warp barrier, who came behind it; how
/// many threads its tile has in front of a tile barrier.
__device__ unsigned* __treadle_warp_masks();
/// 1 in a cooperative launch.
__device__ unsigned __treadle_is_cooperative();
// What the compiler knows of a place (whole_warps.cpp): 2 if all threads of the warp come here
// together, 1 if all that have not exited do, else 0; whether a mask is that of a whole warp;
// and a mask of which it is to know that.
__device__ unsigned __treadle_all_come();
__device__ __attribute__((const)) unsigned __treadle_is_whole(unsigned mask);
__device__ __attribute__((const)) unsigned __treadle_known_lanes(unsigned lanes);
}

__TREADLE_FUNCTION void __syncthreads() { __treadle_barrier(__TREADLE_BLOCK_BARRIER); }

__TREADLE_FUNCTION unsigned __treadle_lane() { return __treadle_linear_thread() & 31u; }
/// The lanes of this thread's warp: the last warp of a block may be short.
__TREADLE_FUNCTION unsigned __treadle_warp_lanes() {
  const unsigned left = blockDim.x * blockDim.y * blockDim.z - (__treadle_linear_thread() & ~31u);
  return left >= 32u ? 0xffffffffu : (1u << left) - 1u;
}
/// Waits for the lanes of `mask`. A whole warp, which is the rule, needs no mask in memory.
__TREADLE_FUNCTION void __treadle_meet(unsigned mask) {
  if (__treadle_is_whole(mask)) {
    __treadle_barrier(__TREADLE_WHOLE_WARP_BARRIER);
  } else {
    __treadle_warp_masks()[__treadle_linear_thread()] = mask;
    __treadle_barrier(__TREADLE_NAMED_WARP_BARRIER);
  }
}
/// The same; returns those that came: not the lanes that have exited.
__TREADLE_FUNCTION unsigned __treadle_gather(unsigned mask) {
  unsigned* own = __treadle_warp_masks() + __treadle_linear_thread();
  *own = mask & __treadle_warp_lanes();
  __treadle_barrier(__TREADLE_NAMED_WARP_BARRIER);
  return *own;
}
__TREADLE_FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) { __treadle_meet(mask); }
/// The lanes that come this way together, found out at run time.
__TREADLE_FUNCTION unsigned __treadle_who_comes() {
  unsigned* own = __treadle_warp_masks() + __treadle_linear_thread();
  *own = __treadle_warp_lanes();
  __treadle_barrier(__TREADLE_CONVERGENCE);
  return *own;
}
__TREADLE_FUNCTION unsigned __activemask() {
  if (__treadle_all_come() == 2) return __treadle_known_lanes(__treadle_warp_lanes());
  return __treadle_who_comes();
}

/// Threads of the block for which `predicate` holds. The counter is zero between two uses, and when a
/// launch begins (block_space.cpp): each thread takes back what it has added, for any other may have
/// exited. Barriers in front of the read and behind it.
__TREADLE_FUNCTION int __syncthreads_count(int predicate) {
  __shared__ int __treadle_sync_count;
  if (predicate) __sync_fetch_and_add(&__treadle_sync_count, 1);
  __syncthreads();
  const int count = __treadle_sync_count;
  __syncthreads();
  if (predicate) __sync_fetch_and_sub(&__treadle_sync_count, 1);
  return count;
}
__TREADLE_FUNCTION int __syncthreads_or(int predicate) {
  return __syncthreads_count(predicate != 0) != 0;
}
__TREADLE_FUNCTION int __syncthreads_and(int predicate) {
  return __syncthreads_count(predicate == 0) == 0;
}

/// Lets the other threads of the block go on: what is waited for may be theirs to do.
__TREADLE_FUNCTION void __nanosleep(unsigned) { __treadle_barrier(__TREADLE_SCHEDULING_BARRIER); }

__TREADLE_FUNCTION void __threadfence() { __sync_synchronize(); }
__TREADLE_FUNCTION void __threadfence_block() { __sync_synchronize(); }
__TREADLE_FUNCTION void __threadfence_system() { __sync_synchronize(); }
__TREADLE_FUNCTION void __threadfence_cluster() { __sync_synchronize(); }
__TREADLE_FUNCTION int syncthreads_count(bool predicate) { return __syncthreads_count(predicate); }
__TREADLE_FUNCTION bool syncthreads_and(bool predicate) {
  return __syncthreads_and(predicate) != 0;
}
__TREADLE_FUNCTION bool syncthreads_or(bool predicate) { return __syncthreads_or(predicate) != 0; }
/// Of CUDA's 16 barriers of a block, each by all its threads, one is enough.
__TREADLE_FUNCTION void __barrier_sync(unsigned) { __syncthreads(); }
__device__ void __barrier_sync_count(unsigned id, unsigned count) __attribute__((
    unavailable("a barrier for some threads of a block is not available on the CPU device")));
