// random_words_uint32, made by treadle's random generator: Philox4x32-10, 4 numbers of a block, wide schedule
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

extern "C" __global__ void __launch_bounds__(256) random_words_uint32(
    unsigned int *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position) {
  const long long first_block = (long long)blockIdx.x * 2048 + threadIdx.x;
  #pragma unroll
  for (int k = 0; k < 8; ++k) {
    const long long block = first_block + k * 256;
    const long long start = block * 4;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (unsigned long long)block, stream, seed);
    const unsigned int x0 = (unsigned int)words.x;
    const unsigned int x1 = (unsigned int)words.y;
    const unsigned int x2 = (unsigned int)words.z;
    const unsigned int x3 = (unsigned int)words.w;
    if (n - start >= 4) {
      *(uint4 *)(x + start) = make_uint4(x0, x1, x2, x3);
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
