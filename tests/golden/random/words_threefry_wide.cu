// random_words_int64, made by treadle's random generator: Threefry4x32-20, 2 numbers of a block, wide schedule
static __device__ inline __attribute__((always_inline)) unsigned int treadle_rotate_left(unsigned int a, int count)
{
  return a << count | a >> (32 - count);
}

// Two rounds of Threefry.
static __device__ inline __attribute__((always_inline)) uint4 treadle_threefry_rounds(uint4 x, int p, int q, int r, int s)
{
  x.x += x.y;
  x.y = treadle_rotate_left(x.y, p) ^ x.x;
  x.z += x.w;
  x.w = treadle_rotate_left(x.w, q) ^ x.z;
  x.x += x.w;
  x.w = treadle_rotate_left(x.w, r) ^ x.x;
  x.z += x.y;
  x.y = treadle_rotate_left(x.y, s) ^ x.z;
  return x;
}

// Threefry4x32-20: twenty rounds of sums and rotations, a key after every fourth (the same paper).
static __device__ inline __attribute__((always_inline)) uint4 treadle_threefry_block(unsigned long long block, unsigned long long stream, unsigned long long seed)
{
  unsigned int low = (unsigned int)seed, high = (unsigned int)(seed >> 32);
  unsigned int keys[5] = {low, high, 0, 0, 0x1bd11bdau ^ low ^ high};
  uint4 x = make_uint4((unsigned int)block + low, (unsigned int)(block >> 32) + high, (unsigned int)stream, (unsigned int)(stream >> 32));
#pragma unroll
  for (int i = 1; i <= 5; ++i) {
    x = i % 2 == 1 ? treadle_threefry_rounds(x, 10, 26, 11, 21)
                   : treadle_threefry_rounds(x, 6, 20, 17, 11);
    x = i % 2 == 1 ? treadle_threefry_rounds(x, 13, 27, 23, 5)
                   : treadle_threefry_rounds(x, 25, 10, 18, 20);
    x.x += keys[i % 5];
    x.y += keys[(i + 1) % 5];
    x.z += keys[(i + 2) % 5];
    x.w += keys[(i + 3) % 5] + i;
  }
  return x;
}

static __device__ inline __attribute__((always_inline)) unsigned long long treadle_joined_words(unsigned int low, unsigned int high)
{
  return (unsigned long long)high << 32 | low;
}

extern "C" __global__ void __launch_bounds__(256) random_words_int64(
    long long *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position) {
  const long long first_block = (long long)blockIdx.x * 2048 + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    const long long block = first_block + k * 256;
    const long long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_threefry_block(position + (unsigned long long)block, stream, seed);
    const long long x0 = (long long)treadle_joined_words(words.x, words.y);
    const long long x1 = (long long)treadle_joined_words(words.z, words.w);
    if (n - start >= 2) {
      *(longlong2 *)(x + start) = make_longlong2(x0, x1);
    } else {
      x[start] = x0;
    }
  }
}
