// random_uniform_float64, made by treadle's random generator: Philox4x32-10, 2 numbers of a block, wide schedule
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

static __device__ inline __attribute__((always_inline)) double treadle_between_float64(double number, double first,
                                                                      double last)
{
  number = number < last ? number : last;
  return number > first ? number : first;
}

// The same of 53 bits.
static __device__ inline __attribute__((always_inline)) double treadle_unit_float64(unsigned long long word, unsigned int shift)
{
  return (double)(long long)((word >> 11) + shift) * 1.1102230246251565e-16;
}

static __device__ inline __attribute__((always_inline)) unsigned long long treadle_joined_words(unsigned int low, unsigned int high)
{
  return (unsigned long long)high << 32 | low;
}

extern "C" __global__ void __launch_bounds__(256) random_uniform_float64(
    double *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position, double low, double width, double first, double last,
    unsigned int shift) {
  const long long first_block = (long long)blockIdx.x * 2048 + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    const long long block = first_block + k * 256;
    const long long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (unsigned long long)block, stream, seed);
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
