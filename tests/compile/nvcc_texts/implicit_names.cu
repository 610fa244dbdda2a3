// SPDX-License-Identifier: MIT
// Gives: 6 1 4 9
// Lists in braces and RAND_MAX without an include; nothing of it deserves a warning.
__device__ int total(std::initializer_list<int> all) {
  int sum = 0;
  for (int one : all) sum += one;
  return sum;
}
extern "C" __global__ void k(long long* out) {
  out[0] = total({1, 2, 3});
  out[1] = (long long)((float)0x7fffffff / RAND_MAX);
  long long sum = 0;
#pragma unroll (4)
  for (int i = 0; i < 4; i++) sum += 1;
  out[2] = sum;
  sum = 0;
  for (auto i : {2, 3, 4}) sum += i;
  out[3] = sum;
}
