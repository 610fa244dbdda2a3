// SPDX-License-Identifier: MIT
// Gives: 1 0 0 1 1 12 22 32 8 7
// Arithmetic on void pointers, in bytes, and comparisons with 0.
__device__ int numbers[] = {12, 22, 32, 42};
__device__ const void* skip(const void* from, int bytes) { return from + bytes; }
extern "C" __global__ void k(long long* out) {
  if (threadIdx.x > 0) return;
  int *some = numbers, *none = nullptr;
  out[0] = some > 0;
  out[1] = none > NULL;
  out[2] = some <= 0;
  out[3] = 0 < some;
  out[4] = none >= 0;
  void* p = numbers;
  const void* q = p + 4;
  out[5] = *(int*)p;
  out[6] = *(const int*)(p + 4 * sizeof(char));
  p += 8;
  out[7] = *(int*)p;
  q = q - 4;
  out[8] = (char*)p - (const char*)q;
  out[9] = *(const int*)skip(q, 8) == 32 ? 7 : 0;
}
