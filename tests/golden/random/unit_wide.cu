// random_unit_float32, made by treadle's random generator: Philox4x32-10, 4 numbers of a block, wide schedule
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

// 24 bits of a word as a multiple of 2^-24: [0, 1), or with a shift of 1 (0, 1].
static __device__ inline __attribute__((always_inline)) float treadle_unit_float32(unsigned int word, unsigned int shift)
{
  return (float)(int)((word >> 8) + shift) * 5.9604644775390625e-08f;
}

extern "C" __global__ void __launch_bounds__(256) random_unit_float32(
    float *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position) {
  const long long first_block = (long long)blockIdx.x * 2048 + threadIdx.x;
  #pragma unroll
  for (int k = 0; k < 8; ++k) {
    const long long block = first_block + k * 256;
    const long long start = block * 4;
    if (start >= n)
      break;
    const uint4 words = treadle_philox_block(position + (unsigned long long)block, stream, seed);
    const float x0 = treadle_unit_float32(words.x, 0);
    const float x1 = treadle_unit_float32(words.y, 0);
    const float x2 = treadle_unit_float32(words.z, 0);
    const float x3 = treadle_unit_float32(words.w, 0);
    if (n - start >= 4) {
      *(float4 *)(x + start) = make_float4(x0, x1, x2, x3);
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
