// random_words_uint32, made by treadle's random generator: Philox4x32-10, 4 numbers of a block, wide schedule
#pragma OPENCL FP_CONTRACT OFF
// Philox4x32-10: ten rounds of two products (Salmon et al., SC'11).
static inline __attribute__((always_inline)) uint4 treadle_philox_block(ulong block, ulong stream, ulong seed)
{
  uint a = (uint)block, b = (uint)(block >> 32);
  uint c = (uint)stream, d = (uint)(stream >> 32);
  uint key_a = (uint)seed, key_b = (uint)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    ulong p = (ulong)0xd2511f53u * a, q = (ulong)0xcd9e8d57u * c;
    a = (uint)(q >> 32) ^ b ^ key_a;
    b = (uint)q;
    c = (uint)(p >> 32) ^ d ^ key_b;
    d = (uint)p;
    key_a += 0x9e3779b9u;
    key_b += 0xbb67ae85u;
  }
  return ((uint4)(a, b, c, d));
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) random_words_uint32(
    __global uint *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position) {
  x += x_offset;
  const long first_block = (long)(uint)get_group_id(0) * 2048 + (uint)get_local_id(0);
  #pragma unroll
  for (int k = 0; k < 8; ++k) {
    const long block = first_block + k * 256;
    const long start = block * 4;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const uint x0 = (uint)words.x;
    const uint x1 = (uint)words.y;
    const uint x2 = (uint)words.z;
    const uint x3 = (uint)words.w;
    if (n - start >= 4) {
      *(__global uint4 *)(x + start) = (uint4)(x0, x1, x2, x3);
    } else {
      x[start] = x0;
      if (n - start > 1) {
        x[start + 1] = x1;
      }
      if (n - start > 2) {
        x[start + 2] = x2;
      }
    }
  }
}
