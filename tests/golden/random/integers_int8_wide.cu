// random_integers_int8, made by treadle's random generator: Philox4x32-10, 2 numbers of a block, wide schedule
// Philox4x32-10: ten rounds of two products (Salmon et al., SC'11).
static __device__ inline __attribute__((always_inline)) uint4 treadle_philox_block(unsigned long long block, unsigned long long stream, unsigned long long seed)
{
  unsigned int a = (unsigned int)block, b = (unsigned int)(block >> 32);
  unsigned int c = (unsigned int)stream, d = (unsigned int)(stream >> 32);
  unsigned int key_a = (unsigned int)seed, key_b = (unsigned int)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    unsigned long long p = (unsigned long long)0xd2511f53u * a, q = (unsigned long long)0xcd9e8d57u * c;
    a = (unsigned int)(q >> 32) ^ b ^ key_a;
    b = (unsigned int)q;
    c = (unsigned int)(p >> 32) ^ d ^ key_b;
    d = (unsigned int)p;
    key_a += 0x9e3779b9u;
    key_b += 0xbb67ae85u;
  }
  return make_uint4(a, b, c, d);
}

// The upper half of word * count: a number below count, 0 standing for 2^64.
static __device__ inline __attribute__((always_inline)) unsigned long long treadle_random_below(unsigned long long word, unsigned long long count)
{
  unsigned long long word_low = (unsigned int)word, word_high = word >> 32;
  unsigned long long count_low = (unsigned int)count, count_high = count >> 32;
  unsigned long long middle = word_high * count_low + (word_low * count_low >> 32);
  unsigned long long carry = (word_low * count_high + (unsigned int)middle) >> 32;
  unsigned long long product = word_high * count_high + (middle >> 32) + carry;
  return count == 0 ? word : product;
}

static __device__ inline __attribute__((always_inline)) unsigned long long treadle_joined_words(unsigned int low, unsigned int high)
{
  return (unsigned long long)high << 32 | low;
}

extern "C" __global__ void __launch_bounds__(256) random_integers_int8(
    signed char *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position, unsigned long long first, unsigned long long count) {
  const long long first_block = (long long)blockIdx.x * 2048 + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    const long long block = first_block + k * 256;
    const long long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (unsigned long long)block, stream, seed);
    const signed char x0 = (signed char)(first + treadle_random_below(treadle_joined_words(words.x, words.y), count));
    const signed char x1 = (signed char)(first + treadle_random_below(treadle_joined_words(words.z, words.w), count));
    if (n - start >= 2) {
      *(char2 *)(x + start) = make_char2(x0, x1);
    } else {
      x[start] = x0;
    }
  }
}
