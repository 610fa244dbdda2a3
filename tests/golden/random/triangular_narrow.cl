// random_triangular_of_elements_float64, made by treadle's random generator: Threefry4x32-20, 1 number of a block, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// Poisson numbers. Number e has blocks of its own, one behind the other: counters {e, draw, stream} under this key, which
// no other numbers have. The upper half of the stream is part of it.
static inline __attribute__((always_inline)) ulong treadle_poisson_key(ulong stream, ulong seed)
{
  return (seed ^ 0x506f6973736f6e2eUL) +
         (stream >> 32) * 0x9e3779b97f4a7c15UL;
}

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

static inline __attribute__((always_inline)) uint treadle_rotate_left(uint a, int count)
{
  return a << count | a >> (32 - count);
}

// Two rounds of Threefry.
static inline __attribute__((always_inline)) uint4 treadle_threefry_rounds(uint4 x, int p, int q, int r, int s)
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
static inline __attribute__((always_inline)) uint4 treadle_threefry_block(ulong block, ulong stream, ulong seed)
{
  uint low = (uint)seed, high = (uint)(seed >> 32);
  uint keys[5] = {low, high, 0, 0, 0x1bd11bdau ^ low ^ high};
  uint4 x = ((uint4)((uint)block + low, (uint)(block >> 32) + high, (uint)stream, (uint)(stream >> 32)));
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

static inline uint4 treadle_next_block(ulong *own)
{
  uint4 words = own[5] == 0 ? treadle_philox_block(own[0], own[1], own[2])
                            : treadle_threefry_block(own[0], own[1], own[2]);
  ++own[1];
  own[4] = 0;
  return words;
}

static inline __attribute__((always_inline)) ulong treadle_joined_words(uint low, uint high)
{
  return (ulong)high << 32 | low;
}

static inline ulong treadle_next_word(ulong *own)
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
static inline double treadle_next_unit(ulong *own)
{
  return fma((double)(long)(treadle_next_word(own) >> 12), 2.220446049250313e-16, 1.1102230246251565e-16);
}

static inline double treadle_random_triangular(ulong *own, double left, double mode, double right)
{
  double u = treadle_next_unit(own), width = right - left, rise = mode - left;
  if (u * width <= rise) return left + sqrt(u * rise * width);
  return right - sqrt((1.0 - u) * (right - mode) * width);
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) random_triangular_of_elements_float64(
    __global double *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position) {
  x += x_offset;
  const long chunk = (long)(uint)get_group_id(0) * 32768;
  const long whole = n / 1;
  const long end = whole - chunk < 32768 ? whole : chunk + 32768;
  for (long block = chunk; block < end; ++block) {
    const long start = block * 1;
    ulong own[6] = {position + (ulong)block, stream << 32, treadle_poisson_key(stream, seed), 0, 0, 1};
    const double number = treadle_random_triangular(own, x[start], x[1 * n + start], x[2 * n + start]);
    const double x0 = (double)number;
    x[start] = x0;
  }
}
