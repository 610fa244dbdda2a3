// SPDX-License-Identifier: MIT
// Gives: 0 1 2 3 99 255 4294967295 4294967290 2 7 3
// A conversion that loses something, in braces.
__constant__ unsigned char table[2] = {-1, 256 + 99};
struct Value {
  float x;
  __device__ Value(float x) : x{x} {}
};
struct Pair {
  short a, b;
  __device__ Pair(int a, double b) : a{a}, b{b} {}
};
__device__ float half_of(Value v) { return v.x / 2; }
extern "C" __global__ void k(long long* out) {
  int i = threadIdx.x;
  float4 v = {i, i + 1, 0, 1};
  char sbox[2] = {0x63, 0xff};
  unsigned m = {-1};
  out[i] = (int)v.x;
  if (i > 0) return;
  out[4] = table[1] == sbox[0] ? sbox[i] : 0;
  out[5] = table[0];
  out[6] = sbox[1] == -1 ? m : 0;
  // Of a constructor's argument.
  double d = 2.25 + i;
  dim3 g = {i - 6, 1, 1};
  Value v1{d}, v2 = {d};
  Pair p = {i + 3, d * 2};
  out[7] = g.x;
  out[8] = (int)v1.x == (int)v2.x ? (int)v1.x : 0;
  out[9] = p.a + p.b;
  out[10] = (int)(half_of({d * 3}));
}
