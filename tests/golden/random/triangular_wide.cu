// random_triangular_of_elements_float64, made by treadle's random generator: Threefry4x32-20, 1 number of a block, wide schedule
// Poisson numbers. Number e has blocks of its own, one behind the other: counters {e, draw, stream} under this key, which
// no other numbers have. The upper half of the stream is part of it.
static __device__ inline __attribute__((always_inline)) unsigned long long treadle_poisson_key(unsigned long long stream, unsigned long long seed)
{
  return (seed ^ 0x506f6973736f6e2eULL) +
         (stream >> 32) * 0x9e3779b97f4a7c15ULL;
}

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

static __device__ inline uint4 treadle_next_block(unsigned long long *own)
{
  uint4 words = own[5] == 0 ? treadle_philox_block(own[0], own[1], own[2])
                            : treadle_threefry_block(own[0], own[1], own[2]);
  ++own[1];
  own[4] = 0;
  return words;
}

static __device__ inline __attribute__((always_inline)) unsigned long long treadle_joined_words(unsigned int low, unsigned int high)
{
  return (unsigned long long)high << 32 | low;
}

static __device__ inline unsigned long long treadle_next_word(unsigned long long *own)
{
  if (own[4] != 0) {
    own[4] = 0;
    return own[3];
  }
  uint4 words = treadle_next_block(own);
  own[3] = treadle_joined_words(words.z, words.w);
  own[4] = 1;
  return treadle_joined_words(words.x, words.y);
}

// Of (0, 1), in the middle of steps of 2^-52: its logarithm and that of 1 - u are finite.
static __device__ inline double treadle_next_unit(unsigned long long *own)
{
  return fma((double)(long long)(treadle_next_word(own) >> 12), 2.220446049250313e-16, 1.1102230246251565e-16);
}

static __device__ inline double treadle_random_triangular(unsigned long long *own, double left, double mode, double right)
{
  double u = treadle_next_unit(own), width = right - left, rise = mode - left;
  if (u * width <= rise) return left + sqrt(u * rise * width);
  return right - sqrt((1.0 - u) * (right - mode) * width);
}

extern "C" __global__ void __launch_bounds__(256) random_triangular_of_elements_float64(
    double *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position) {
  const long long block = (long long)blockIdx.x * 256 + threadIdx.x;
  const long long start = block * 1;
  if (start >= n)
    return;
  unsigned long long own[6] = {position + (unsigned long long)block, stream << 32, treadle_poisson_key(stream, seed), 0, 0, 1};
  const double number = treadle_random_triangular(own, x[start], x[1 * n + start], x[2 * n + start]);
  const double x0 = (double)number;
  x[start] = x0;
}
