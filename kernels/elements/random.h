// SPDX-License-Identifier: MIT
// Random numbers; elements.h says how this is read. The blocks are those of treadle/base/random.hpp,
// the numbers made of them those of treadle/kernel/random.hpp.
//
// Floats are the same to the last bit wherever fma and sqrt are rounded correctly: nothing here
// divides or calls another function of the language's mathematics. The polynomials are minimax fits
// (Remez's exchange) whose relative error is below 5e-9 for float and 4e-18 for double.

// Philox4x32-10: ten rounds of two products (Salmon et al., SC'11).
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE uint4 treadle_philox_block(UINT64 block, UINT64 stream, UINT64 seed)
{
  UINT32 a = (UINT32)block, b = (UINT32)(block >> 32);
  UINT32 c = (UINT32)stream, d = (UINT32)(stream >> 32);
  UINT32 key_a = (UINT32)seed, key_b = (UINT32)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    UINT64 p = (UINT64)0xd2511f53u * a, q = (UINT64)0xcd9e8d57u * c;
    a = (UINT32)(q >> 32) ^ b ^ key_a;
    b = (UINT32)q;
    c = (UINT32)(p >> 32) ^ d ^ key_b;
    d = (UINT32)p;
    key_a += 0x9e3779b9u;
    key_b += 0xbb67ae85u;
  }
  return treadle_make_uint4(a, b, c, d);
}

TREADLE_FUNCTION TREADLE_ALWAYS_INLINE UINT32 treadle_rotate_left(UINT32 a, int count)
{
  return a << count | a >> (32 - count);
}

// Two rounds of Threefry.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE uint4 treadle_threefry_rounds(uint4 x, int p, int q, int r, int s)
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
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE uint4 treadle_threefry_block(UINT64 block, UINT64 stream, UINT64 seed)
{
  UINT32 low = (UINT32)seed, high = (UINT32)(seed >> 32);
  UINT32 keys[5] = {low, high, 0, 0, 0x1bd11bdau ^ low ^ high};
  uint4 x = treadle_make_uint4((UINT32)block + low, (UINT32)(block >> 32) + high, (UINT32)stream,
                               (UINT32)(stream >> 32));
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

TREADLE_FUNCTION TREADLE_ALWAYS_INLINE UINT64 treadle_joined_words(UINT32 low, UINT32 high)
{
  return (UINT64)high << 32 | low;
}

// The upper half of word * count: a number below count, 0 standing for 2^64.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE UINT64 treadle_random_below(UINT64 word, UINT64 count)
{
  UINT64 word_low = (UINT32)word, word_high = word >> 32;
  UINT64 count_low = (UINT32)count, count_high = count >> 32;
  UINT64 middle = word_high * count_low + (word_low * count_low >> 32);
  UINT64 carry = (word_low * count_high + (UINT32)middle) >> 32;
  UINT64 product = word_high * count_high + (middle >> 32) + carry;
  return count == 0 ? word : product;
}

// 24 bits of a word as a multiple of 2^-24: [0, 1), or with a shift of 1 (0, 1].
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE float treadle_unit_float32(UINT32 word, UINT32 shift)
{
  return (float)(INT32)((word >> 8) + shift) * 5.9604644775390625e-08f;
}

// The same of 53 bits.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE double treadle_unit_float64(UINT64 word, UINT32 shift)
{
  return (double)(INT64)((word >> 11) + shift) * 1.1102230246251565e-16;
}

// low + width * unit is rounded, and may leave its interval by that.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE float treadle_between_float32(float number, float first, float last)
{
  number = number < last ? number : last;
  return number > first ? number : first;
}
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE double treadle_between_float64(double number, double first,
                                                                      double last)
{
  number = number < last ? number : last;
  return number > first ? number : first;
}

// The natural logarithm of a normal number: of m in [sqrt(1/2), sqrt(2)) and of a power of two.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE float treadle_repeatable_log_float32(float x)
{
  UINT32 bits = treadle_as_uint(x) - 0x3f3504f3u;
  float e = (float)((INT32)bits >> 23);
  float f = treadle_as_float((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  float p = -7.621748e-02f;
  p = fma(p, f, 1.2904403e-01f);
  p = fma(p, f, -1.3242984e-01f);
  p = fma(p, f, 1.418183e-01f);
  p = fma(p, f, -1.6609083e-01f);
  p = fma(p, f, 2.0001973e-01f);
  p = fma(p, f, -2.5001583e-01f);
  p = fma(p, f, 3.3333325e-01f);
  p = fma(p, f, -4.9999988e-01f);
  p = fma(f * f, p, f);
  return fma(e, 0.693145751953125f, fma(e, 1.4286068e-06f, p));
}
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE double treadle_repeatable_log_float64(double x)
{
  UINT64 bits = treadle_as_uint64(x) - treadle_uint64_literal(0x3fe6a09e667f3bcd);
  double e = (double)((INT32)(bits >> 32) >> 20);
  bits &= treadle_uint64_literal(0xfffffffffffff);
  bits += treadle_uint64_literal(0x3fe6a09e667f3bcd);
  double f = treadle_as_double(bits) - 1.0;
  double p = -0.024230519367696556;
  p = fma(p, f, 0.05698929964535715);
  p = fma(p, f, -0.06284863782993795);
  p = fma(p, f, 0.0541942207414229);
  p = fma(p, f, -0.053239169289083704);
  p = fma(p, f, 0.05816186875987772);
  p = fma(p, f, -0.06270108121971692);
  p = fma(p, f, 0.06675430705084841);
  p = fma(p, f, -0.07141992660760374);
  p = fma(p, f, 0.07691687678465921);
  p = fma(p, f, -0.08333344557220318);
  p = fma(p, f, 0.0909093500101546);
  p = fma(p, f, -0.10000000502031998);
  p = fma(p, f, 0.11111110466103366);
  p = fma(p, f, -0.12499999977302599);
  p = fma(p, f, 0.14285714294803242);
  p = fma(p, f, -0.16666666667007157);
  p = fma(p, f, 0.19999999999936588);
  p = fma(p, f, -0.24999999999998074);
  p = fma(p, f, 0.33333333333333487);
  p = fma(p, f, -0.5);
  p = fma(f * f, p, f);
  return fma(e, 0.6931471805598903, fma(e, 5.497923018708371e-14, p));
}

// NVIDIA's own square root asks first whether its argument is in range; of 2^-100 to 2^100 this one is rounded
// correctly, too.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE float treadle_root_float32(float x)
{
#if defined(__CUDACC_RTC__) && !defined(__TREADLE_CPU__)
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  float root = x * inverse;
  return fma(fma(-root, root, x), 0.5f * inverse, root);
#else
  return sqrt(x);
#endif
}

// Two independent numbers of the normal distribution: a gives their distance from the origin, b the
// angle (Box and Muller 1958). The angle is a number of quarter turns, known exactly, and a rest
// of at most half of one.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE float2 treadle_normal_pair_float32(UINT32 a, UINT32 b)
{
  float u = fma((float)a, 2.3283064365386963e-10f, 1.1641532182693481e-10f);
  float square = -2.0f * treadle_repeatable_log_float32(u);
  float radius = treadle_root_float32(square > 1e-30f ? square : 1e-30f);
  UINT32 turn = b + 0x20000000u;
  float y = (float)(INT32)(b - (turn & 0xc0000000u)) * 9.313225746154785e-10f, t = y * y;
  float s = -4.601658e-03f;
  s = fma(s, t, 7.968003e-02f);
  s = fma(s, t, -6.459635e-01f);
  s = fma(s, t, -4.879794e-08f);
  s = fma(y, 1.5707964f, y * s);
  float c = 9.0402167e-04f;
  c = fma(c, t, -2.0860288e-02f);
  c = fma(c, t, 2.5366923e-01f);
  c = fma(c, t, -1.2337005e+00f);
  c = fma(c, t, 1.0f);
  float x = (turn & 0x40000000u) != 0 ? s : c;
  y = (turn & 0x40000000u) != 0 ? c : s;
  x = treadle_as_float(treadle_as_uint(x) ^ ((turn + 0x40000000u) & 0x80000000u));
  y = treadle_as_float(treadle_as_uint(y) ^ (turn & 0x80000000u));
  return treadle_make_float2(radius * x, radius * y);
}
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE double2 treadle_normal_pair_float64(UINT64 a, UINT64 b)
{
  double u = fma((double)(INT64)(a >> 11), 1.1102230246251565e-16, 5.551115123125783e-17);
  double radius = sqrt(-2.0 * treadle_repeatable_log_float64(u));
  UINT64 quarters = (b + treadle_uint64_literal(0x2000000000000000)) >> 62;
  double y = (double)(INT64)(b - (quarters << 62)) * 2.168404344971009e-19, t = y * y;
  double s = 5.633720997352178e-08;
  s = fma(s, t, -3.5986417543252964e-06);
  s = fma(s, t, 0.00016044115029161283);
  s = fma(s, t, -0.004681754132282412);
  s = fma(s, t, 0.07969262624603957);
  s = fma(s, t, -0.6459640975062443);
  s = fma(s, t, 5.602982827823496e-17);
  s = fma(y, 1.5707963267948966, y * s);
  double c = -6.321892442168645e-09;
  c = fma(c, t, 4.7106156576100235e-07);
  c = fma(c, t, -2.5202036991531613e-05);
  c = fma(c, t, 0.0009192602742250323);
  c = fma(c, t, -0.020863480763315442);
  c = fma(c, t, 0.2536695079010469);
  c = fma(c, t, -1.2337005501361697);
  c = fma(c, t, 1.0);
  double x = (quarters & 1) != 0 ? s : c;
  y = (quarters & 1) != 0 ? c : s;
  x = ((quarters + 1) & 2) != 0 ? -x : x;
  y = (quarters & 2) != 0 ? -y : y;
  return treadle_make_double2(radius * x, radius * y);
}

// Poisson numbers. Number e has blocks of its own, one behind the other: counters {e, draw, stream} under this key, which
// no other numbers have. The upper half of the stream is part of it.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE UINT64 treadle_poisson_key(UINT64 stream, UINT64 seed)
{
  return (seed ^ treadle_uint64_literal(0x506f6973736f6e2e)) +
         (stream >> 32) * treadle_uint64_literal(0x9e3779b97f4a7c15);
}

// What a mean stands for that is none: NaN and what is negative for 0, what is beyond 2^30 for that.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE double treadle_poisson_mean(double mean)
{
  mean = mean > 1073741824.0 ? 1073741824.0 : mean;
  return mean > 0.0 ? mean : 0.0;
}

// The logarithm of k!, to 4e-11: of small k by the product, else Stirling's series.
TREADLE_FUNCTION double treadle_log_factorial(double k)
{
  double x = k + 1.0, product = 1.0;
  if (k < 10.0) {
    for (double j = 2.0; j <= k; j += 1.0) product *= j;
    return treadle_repeatable_log_float64(product);
  }
  double y = 1.0 / (x * x);
  double series = (0.08333333333333333 - (0.002777777777777778 - 0.0007936507936507937 * y) * y) / x;
  return fma(x - 0.5, treadle_repeatable_log_float64(x), 0.9189385332046727 - x) + series;
}

// Small means: how many of the waiting times, which have the exponential distribution, fit into the mean one after the
// other (Knuth, The Art of Computer Programming 2, 3.4.1, by sums instead of products). A word gives one of them; less
// than 0 if four were not enough.
TREADLE_FUNCTION TREADLE_ALWAYS_INLINE double treadle_poisson_waited(UINT32 word, double mean, double *time,
                                                                     double *count)
{
  double unit = fma((double)word, 2.3283064365386963e-10, 1.1641532182693481e-10);
  *time -= treadle_repeatable_log_float64(unit);
  if (*time > mean) return *count;
  *count += 1.0;
  return -1.0;
}

// Large means: Hoermann's transformed rejection (Insurance: Mathematics and Economics 12, 1993, algorithm PTRS, whose
// constants these are). Less than 0 where a number was rejected.
TREADLE_FUNCTION double treadle_poisson_rejection(uint4 words, double mean)
{
  double u = fma((double)(INT64)(treadle_joined_words(words.x, words.y) >> 11), 1.1102230246251565e-16,
                 -0.49999999999999994);
  double v = fma((double)(INT64)(treadle_joined_words(words.z, words.w) >> 11), 1.1102230246251565e-16,
                 5.551115123125783e-17);
  double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
  double edge = 0.5 - fabs(u);
  double k = floor((2.0 * a / edge + b) * u + mean + 0.43);
  if (edge >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0)) return k;
  if (k < 0.0 || (edge < 0.013 && v > edge)) return -1.0;
  double hat = v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (edge * edge) + b);
  double density = k * treadle_repeatable_log_float64(mean) - mean - treadle_log_factorial(k);
  return treadle_repeatable_log_float64(hat) <= density ? k : -1.0;
}

// A number of this mean, or less than 0 if it takes more blocks: time and count are 0 before the first one.
TREADLE_FUNCTION double treadle_poisson_step(uint4 words, double mean, double *time, double *count)
{
  if (mean >= 10.0) return treadle_poisson_rejection(words, mean);
  double number = treadle_poisson_waited(words.x, mean, time, count);
  if (number < 0.0) number = treadle_poisson_waited(words.y, mean, time, count);
  if (number < 0.0) number = treadle_poisson_waited(words.z, mean, time, count);
  if (number < 0.0) number = treadle_poisson_waited(words.w, mean, time, count);
  return number;
}
