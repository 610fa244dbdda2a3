// SPDX-License-Identifier: MIT
// Gives: 4 6 6 10 1 8 -3 9
// The built-in atomic functions of CUDA 12.8.
__device__ int sum, largest, flag, cell;
__device__ unsigned bits;
__device__ float real;
__device__ unsigned long long wide;
extern "C" __global__ void k(long long* out) {
  int t = threadIdx.x;
  __nv_atomic_fetch_add(&sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(&real, 1.5f, __NV_ATOMIC_RELAXED);
  __nv_atomic_max(&largest, 2 * t, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_or(&bits, t == 1 ? 2u : t == 3 ? 8u : 0u, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_fetch_sub(&cell, t == 0 ? 3 : 0, __NV_ATOMIC_RELAXED);
  unsigned long long seen = __nv_atomic_load_n(&wide, __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange_n(&wide, &seen, seen + 2, true, __NV_ATOMIC_RELEASE,
                                         __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM)) {
  }
  __syncthreads();
  if (t == 0) __nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  __syncthreads();
  if (t > 0) return;
  float f;
  __nv_atomic_load(&real, &f, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
  int nine = 9, old;
  out[0] = sum;
  out[1] = (int)f;
  out[2] = largest;
  out[3] = bits;
  out[4] = __nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE);
  out[5] = wide;
  __nv_atomic_exchange(&cell, &nine, &old, __NV_ATOMIC_RELAXED);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  out[6] = old;
  __nv_atomic_store(&cell, &nine, __NV_ATOMIC_RELAXED);
  out[7] = __nv_atomic_exchange_n(&cell, 0, __NV_ATOMIC_RELAXED);
}
