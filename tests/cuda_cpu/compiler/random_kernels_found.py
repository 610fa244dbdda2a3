# SPDX-License-Identifier: MIT
"""Kernels that random_kernels found and that were wrong, or took minutes to compile: what was the
matter -> (block, n, text)."""

KERNELS = {
    "a nest of loops that was unrolled 41 x 41 x 41 times": (
        (32, 1),
        2,
        """
extern "C" __global__ void k(unsigned* o, const unsigned*, unsigned*, unsigned n) {
  __shared__ unsigned s0[32u], s1[32u], sum;
  const unsigned t = threadIdx.x + blockDim.x * threadIdx.y; o += blockIdx.x * 32u;
  unsigned a = t * 7 + 1 + blockIdx.x, b = t ^ 5, c = n, d = 3 * t, m = 0;
  unsigned la[16]; for (int i = 0; i < 16; i++) la[i] = i * t;
  s0[t] = t; s1[t] = ~t; if (t == 0) sum = 0; __syncthreads();
  if (c & 2) { if (c & 2) { b += (((48u & t) | (47u + m)) | (d & n)); la[(((n ^ n) | (m ^ 92u))
    * ((n ^ 85u) - (45u ^ d))) & 15] = (((a * b) + a) | b); b ^= la[((t & m) | 27u) & 15]; la[a
    & 15] = (((a - n) + (b | n)) + ((a & m) * (20u | b))); c ^= la[(((a - b) + (a + t)) | c) &
    15]; } else { if (a & 1) { la[(t * a) & 15] = t; d ^= la[((c * d) - ((30u - t) | n)) & 15];
    b += c; } else {  } b += c; } la[67u & 15] = d; a ^= la[(((m - a) - (c + 13u)) & ((n + n) &
    m)) & 15]; d += 82u; } else { la[n & 15] = d; a ^= la[b & 15]; }
  for (int i1 = 0; i1 < (int)(c & 7);) { for (int i2 = 0; i2 < (int)(b & 7);) { for (int i3 = 0;
    i3 < (int)(a & 7);) { a += m; la[85u & 15] = (((a | t) + (n | c)) - (m + d)); a ^= la[(((n ^
    35u) * (m ^ t)) | ((m * b) - (b & c))) & 15]; if (++i3 > 40) break; } if (b & 2) { la[(((a ^
    m) & (a - t)) * ((91u ^ n) | (d | d))) & 15] = (((a + b) ^ (n ^ t)) & (n ^ m)); d ^=
    la[(((60u * c) | (d + m)) | ((d & d) + (a & m))) & 15]; if (b & 1) {  } else {  } } else {
    } if (++i2 > 40) break; } for (int i4 = 0; i4 < (int)(d & 7);) { if (b & 1) { for (int i5 =
    0; i5 < (int)(a & 7);) {  if (++i5 > 40) break; } if (a & 8) {  } else {  } } else { for
    (int i6 = 0; i6 < (int)(b & 7);) {  if (++i6 > 40) break; } if (d & 2) {  } else {  } } for
    (int i7 = 0; i7 < (int)(c & 7);) { if (c & 4) {  } else {  } if (++i7 > 40) break; } if
    (++i4 > 40) break; } if (++i1 > 40) break; }
  for (unsigned u8 = n; u8; u8 >>= 1) { s1[t] = (((c - b) + 30u) ^ (b & (d ^ n)));
    __syncthreads(); c ^= s1[(t * 3 + u8) % 32u]; __syncthreads(); }
  if (c & 8) { la[(((d ^ n) - 31u) * n) & 15] = m; d ^= la[c & 15]; for (int i9 = 0; i9 <
    (int)(c & 7);) { if (d & 4) { c += c; if (c & 8) {  } else {  } for (int i10 = 0; i10 <
    (int)(a & 7);) {  if (++i10 > 40) break; } } else {  } if (d & 2) { c += m; } else {  } if
    (++i9 > 40) break; } } else { if (b & 8) { if (d & 2) { if (b & 8) {  } else {  } b += (n *
    d); } else {  } la[a & 15] = (((b & 76u) * (c | m)) ^ ((c ^ c) + 40u)); a ^= la[(((n * b) ^
    m) - m) & 15]; c += d; } else {  } b += (84u + d); }
  if (d & 2) { b += (a & (d & a)); la[d & 15] = m; a ^= la[(n & ((c | b) ^ (d - m))) & 15]; la[t
    & 15] = a; d ^= la[(t & ((c - b) ^ d)) & 15]; } else { la[((d & (a & d)) | ((b & 88u) - (n -
    t))) & 15] = (61u & n); a ^= la[(((a | t) ^ (t + d)) & ((d ^ c) * (n ^ 50u))) & 15]; if (a &
    2) { for (int i11 = 0; i11 < (int)(b & 7);) { if (b & 4) {  } else {  } if (++i11 > 40)
    break; } a += (a + n); } else { d += (c | m); } }
  o[t] = a + b * 3 + c * 5 + d * 7; }
""",
    ),
    "lanes that come to a loop in different rounds leave it in different turns": (
        (32,),
        6,
        """
extern "C" __global__ void k(unsigned* o, const unsigned* in, unsigned*, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned b = t, c = n;
  if (t & 8) c++; else { __syncwarp(0x00ff00ffu); c ^= 3; }
  for (unsigned i = 0; i < n + 3; i++) b += in[(i * 32 + t) % 256];
  o[blockIdx.x * 32 + t] = b * 3 + c;
}
""",
    ),
    "threads that pass a loop by count turns of the loop around it for those that do not": (
        (128,),
        1,
        """
extern "C" __global__ void k(unsigned* o, const unsigned* in, unsigned*, unsigned n) {
  __shared__ unsigned s[128];
  const unsigned t = threadIdx.x;
  unsigned c = n, d = 3 * t, m = 0;
  s[t] = t; __syncthreads();
  for (unsigned i = 0; i < n + 1; i++) {
    m = i;
    if (d & 2) for (unsigned j = 0; j < n; j++) c += in[(j * 128 + t) % 1024];
  }
  o[blockIdx.x * 128 + t] = c * 5 + d * 7;
}
""",
    ),
    "threads that leave an inner loop early come back to it in the next turn": (
        (40,),
        5,
        """
extern "C" __global__ void k(unsigned* o, const unsigned* in, unsigned*, unsigned n) {
  __shared__ unsigned s[40];
  const unsigned t = threadIdx.x;
  unsigned a = t;
  s[t] = t; __syncthreads();
  for (unsigned i = 0; i < n + 1; i++)
    for (unsigned j = 0; j < n; j++) { a ^= in[(j * 5 + t) % 40]; if (t % 5 == 0) break; }
  o[blockIdx.x * 40 + t] = a + s[39 - t];
}
""",
    ),
    "lanes that take turns of a loop before they vote in it": (
        (64,),
        5,
        """
extern "C" __global__ void k(unsigned* o, const unsigned*, unsigned*, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned a = t, i = 0;
  while (true) {
    if (((t + i) & 3) == 0) {
      a += __shfl_xor_sync(0x11111111u << (t & 3), a, 4) + i;
      if (i > 4) break;
    }
    i++;
  }
  o[blockIdx.x * 64 + t] = a + i + n;
}
""",
    ),
    "lanes that leave an inner loop early take turns of the outer one before they vote": (
        (64,),
        5,
        """
extern "C" __global__ void k(unsigned* o, const unsigned* in, unsigned*, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned a = t, i = 0;
  while (true) {
    bool hit = false;
    for (unsigned j = 0; j < n; j++) if (((in[t & 3] + i + j) & 15) == 0) { hit = true; break; }
    if (hit) {
      a += __shfl_xor_sync(0x11111111u << (t & 3), a, 4) + i;
      if (i > 20) break;
    }
    i++;
  }
  o[blockIdx.x * 64 + t] = a + i;
}
""",
    ),
    "a way round that is no loop, for it is entered in the middle": (
        (64,),
        5,
        """
extern "C" __global__ void k(unsigned* o, const unsigned* in, unsigned*, unsigned n) {
  const unsigned t = threadIdx.x;
  unsigned i = t & 3, sum = 0;
  if (n & t & 1) goto middle;
top:
  if (in[(i * 7 + t) % 64] & 1) { o[blockIdx.x * 64 + t] = i; sum += i; }
middle:
  ++i;
  if (i < n + 5) goto top;
  o[blockIdx.x * 64 + t] = sum;
}
""",
    ),
    "a constant beyond the integer that it becomes, and that becomes an index": (
        (64,),
        4,
        """
extern "C" __global__ void k(unsigned* o, const unsigned*, unsigned*, unsigned n) {
  __shared__ unsigned s[64];
  const unsigned t = threadIdx.x;
  unsigned long long w = t * 0x9e3779b97f4a7c15ull;
  unsigned c = n, la[16]; for (int i = 0; i < 16; i++) la[i] = i * t;
  la[((unsigned)(w ^ (unsigned)((long long)(3e38f) >> 7))) & 15] = c; s[t] = la[c & 15];
  __syncthreads();
  la[s[(t + 5) % 64] & 15] ^= (unsigned)__clz(t); __syncthreads();
  o[blockIdx.x * 64 + t] = c + la[t & 15];
}
""",
    ),
}
