// SPDX-License-Identifier: MIT
// Gives: 5 1 7 3 8
// GNU's spellings of words, and the version that cuda.h gives.
#include <cuda.h>
#if CUDA_VERSION < 9000
#error "older than __shfl_sync"
#endif
__device__ __inline__ int twice(__const int* p) { return 2 * *p; }
extern "C" __global__ void k(long long* out) {
  int sum;
  __asm__ __volatile__("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(2), "r"(3));
  __asm("membar.cta;" ::: "memory");
  out[0] = sum;
  __signed__ char minus = -1;
  out[1] = minus < 0;
  float number = 7;
  __typeof__(number) same = number;
  __extension__ __typeof(out[0]) wide = same;
  out[2] = wide;
  const __const__ int three = 3;
  out[3] = __alignof__(int) - 1 + 0 * three;
  number = 4;
  int four = number;
  out[4] = twice(&four);
}
