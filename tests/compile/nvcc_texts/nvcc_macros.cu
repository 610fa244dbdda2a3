// SPDX-License-Identifier: MIT
// Gives: 1 1 1 7
// What a text asks of the compiler, and words of CUDA's own headers.
#if !defined(__NVCC__) || !defined(__CUDACC__) || __CUDACC_VER_MAJOR__ < 11
#error "compiled by nvcc only"
#endif
struct __device_builtin__ __builtin_align__(16) Quad { float x, y, z, w; };
struct __device_builtin__ Plain { int a; };
static __device__ __cudart_builtin__ int seven() { return 7; }
extern "C" __global__ void k(long long* out) {
  Plain p = {1};
  out[0] = alignof(Quad) == 16;
  out[1] = p.a;
#ifdef __CUDA_ARCH__
  out[2] = 1;
#endif
  out[3] = seven();
}
