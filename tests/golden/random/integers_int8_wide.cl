// random_integers_int8, made by treadle's random generator: Philox4x32-10, 2 numbers of a block, wide schedule
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

// The upper half of word * count: a number below count, 0 standing for 2^64.
static inline __attribute__((always_inline)) ulong treadle_random_below(ulong word, ulong count)
{
  ulong word_low = (uint)word, word_high = word >> 32;
  ulong count_low = (uint)count, count_high = count >> 32;
  ulong middle = word_high * count_low + (word_low * count_low >> 32);
  ulong carry = (word_low * count_high + (uint)middle) >> 32;
  ulong product = word_high * count_high + (middle >> 32) + carry;
  return count == 0 ? word : product;
}

static inline __attribute__((always_inline)) ulong treadle_joined_words(uint low, uint high)
{
  return (ulong)high << 32 | low;
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) random_integers_int8(
    __global char *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position,
    ulong first, ulong count) {
  x += x_offset;
  const long first_block = (long)(uint)get_group_id(0) * 2048 + (uint)get_local_id(0);
  for (int k = 0; k < 8; ++k) {
    const long block = first_block + k * 256;
    const long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const char x0 = (char)(first + treadle_random_below(treadle_joined_words(words.x, words.y), count));
    const char x1 = (char)(first + treadle_random_below(treadle_joined_words(words.z, words.w), count));
    if (n - start >= 2) {
      *(__global char2 *)(x + start) = (char2)(x0, x1);
    } else {
      x[start] = x0;
    }
  }
}
