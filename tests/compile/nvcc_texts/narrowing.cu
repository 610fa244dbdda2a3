// SPDX-License-Identifier: MIT
// Gives: 0 1 2 3 99 255 4294967295
// A conversion that loses something, in braces.
__constant__ unsigned char table[2] = {-1, 256 + 99};
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
}
