// SPDX-License-Identifier: MIT
// Gives: 0 0 0 0 3
// Alignment behind a keyword of CUDA's.
struct alignas(32) Block { char bytes[3]; };
template <class T> struct alignas(2 * sizeof(T)) Pair { T x, y; };
__device__ int global_value __align__(16);
extern "C" __global__ void k(long long* out) {
  __shared__ char odd;
  __shared__ alignas(16) float s[4];
  __shared__ alignas(alignof(double4)) char t[8];
  alignas(16) __shared__ float u[4];
  alignas(64) char local[2];
  odd = 1;
  s[threadIdx.x] = u[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x > 0) return;
  out[0] = (size_t)s % 16;
  out[1] = (size_t)t % alignof(double4) + (size_t)u % 16;
  out[2] = (size_t)local % 64 + (size_t)&global_value % 16;
  out[3] = alignof(Block) - 32 + alignof(Pair<int>) - 8 + odd - 1;
  out[4] = (int)s[3] + (int)u[0];
}
