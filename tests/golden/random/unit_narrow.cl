// random_unit_float32, made by treadle's random generator: Philox4x32-10, 4 numbers of a block, narrow schedule
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

// 24 bits of a word as a multiple of 2^-24: [0, 1), or with a shift of 1 (0, 1].
static inline __attribute__((always_inline)) float treadle_unit_float32(uint word, uint shift)
{
  return (float)(int)((word >> 8) + shift) * 5.9604644775390625e-08f;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) random_unit_float32(
    __global float *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position) {
  x += x_offset;
  const long chunk = (long)(uint)get_group_id(0) * 16384;
  const long whole = n / 4;
  const long end = whole - chunk < 16384 ? whole : chunk + 16384;
  for (long block = chunk; block < end; ++block) {
    const long start = block * 4;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const float x0 = treadle_unit_float32(words.x, 0);
    const float x1 = treadle_unit_float32(words.y, 0);
    const float x2 = treadle_unit_float32(words.z, 0);
    const float x3 = treadle_unit_float32(words.w, 0);
    x[start] = x0;
    x[start + 1] = x1;
    x[start + 2] = x2;
    x[start + 3] = x3;
  }
  if (end == whole && n % 4 != 0) {
    const long block = whole;
    const long start = block * 4;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const float x0 = treadle_unit_float32(words.x, 0);
    const float x1 = treadle_unit_float32(words.y, 0);
    const float x2 = treadle_unit_float32(words.z, 0);
    x[start] = x0;
    if (n - start > 1) {
      x[start + 1] = x1;
    }
    if (n - start > 2) {
      x[start + 2] = x2;
    }
  }
}
