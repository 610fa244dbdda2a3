// SPDX-License-Identifier: MIT
// Gives: 10 11 12 13
// A word that C++17 took away.
__device__ int sum(register int a, register int b) { return a + b; }
extern "C" __global__ void k(long long* out) {
  register int i = threadIdx.x;
  for (register int n = 0; n < 10; ++n) i = sum(i, 1);
  out[threadIdx.x] = i;
}
