// random_uniform_float64, made by treadle's random generator: Philox4x32-10, 2 numbers of a block, wide schedule
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

static inline __attribute__((always_inline)) double treadle_between_float64(double number, double first,
                                                                      double last)
{
  number = number < last ? number : last;
  return number > first ? number : first;
}

// The same of 53 bits.
static inline __attribute__((always_inline)) double treadle_unit_float64(ulong word, uint shift)
{
  return (double)(long)((word >> 11) + shift) * 1.1102230246251565e-16;
}

static inline __attribute__((always_inline)) ulong treadle_joined_words(uint low, uint high)
{
  return (ulong)high << 32 | low;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) random_uniform_float64(
    __global double *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position,
    double low, double width, double first, double last, uint shift) {
  x += x_offset;
  const long first_block = (long)(uint)get_group_id(0) * 2048 + (uint)get_local_id(0);
  for (int k = 0; k < 8; ++k) {
    const long block = first_block + k * 256;
    const long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const double x0 = treadle_between_float64(low + width * treadle_unit_float64(treadle_joined_words(words.x, words.y), shift), first, last);
    const double x1 = treadle_between_float64(low + width * treadle_unit_float64(treadle_joined_words(words.z, words.w), shift), first, last);
    if (n - start >= 2) {
      x[start] = x0;
      x[start + 1] = x1;
    } else {
      x[start] = x0;
    }
  }
}
