// random_poisson_uint32, made by treadle's random generator: Philox4x32-10, 1 number of a block, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// What a mean stands for that is none: NaN and what is negative for 0, what is beyond 2^30 for that.
static inline __attribute__((always_inline)) double treadle_poisson_mean(double mean)
{
  mean = mean > 1073741824.0 ? 1073741824.0 : mean;
  return mean > 0.0 ? mean : 0.0;
}

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

static inline __attribute__((always_inline)) ulong treadle_joined_words(uint low, uint high)
{
  return (ulong)high << 32 | low;
}

static inline __attribute__((always_inline)) double treadle_repeatable_log_float64(double x)
{
  ulong bits = as_ulong((double)(x)) - 0x3fe6a09e667f3bcdUL;
  double e = (double)((int)(bits >> 32) >> 20);
  bits &= 0xfffffffffffffUL;
  bits += 0x3fe6a09e667f3bcdUL;
  double f = as_double((ulong)(bits)) - 1.0;
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

// The logarithm of k!, to 4e-11: of small k by the product, else Stirling's series.
static inline double treadle_log_factorial(double k)
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

// Large means: Hoermann's transformed rejection (Insurance: Mathematics and Economics 12, 1993, algorithm PTRS, whose
// constants these are). Less than 0 where a number was rejected.
static inline double treadle_poisson_rejection(uint4 words, double mean)
{
  double u = fma((double)(long)(treadle_joined_words(words.x, words.y) >> 11), 1.1102230246251565e-16,
                 -0.49999999999999994);
  double v = fma((double)(long)(treadle_joined_words(words.z, words.w) >> 11), 1.1102230246251565e-16,
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

// Small means: how many of the waiting times, which have the exponential distribution, fit into the mean one after the
// other (Knuth, The Art of Computer Programming 2, 3.4.1, by sums instead of products). A word gives one of them; less
// than 0 if four were not enough.
static inline __attribute__((always_inline)) double treadle_poisson_waited(uint word, double mean, double *time,
                                                                     double *count)
{
  double unit = fma((double)word, 2.3283064365386963e-10, 1.1641532182693481e-10);
  *time -= treadle_repeatable_log_float64(unit);
  if (*time > mean) return *count;
  *count += 1.0;
  return -1.0;
}

// A number of this mean, or less than 0 if it takes more blocks: time and count are 0 before the first one.
static inline double treadle_poisson_step(uint4 words, double mean, double *time, double *count)
{
  if (mean >= 10.0) return treadle_poisson_rejection(words, mean);
  double number = treadle_poisson_waited(words.x, mean, time, count);
  if (number < 0.0) number = treadle_poisson_waited(words.y, mean, time, count);
  if (number < 0.0) number = treadle_poisson_waited(words.z, mean, time, count);
  if (number < 0.0) number = treadle_poisson_waited(words.w, mean, time, count);
  return number;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) random_poisson_uint32(
    __global uint *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position,
    double given_mean) {
  x += x_offset;
  const long chunk = (long)(uint)get_group_id(0) * 65536;
  const long whole = n / 1;
  const long end = whole - chunk < 65536 ? whole : chunk + 65536;
  for (long block = chunk; block < end; ++block) {
    const long start = block * 1;
    const double mean = treadle_poisson_mean(given_mean);
    const ulong key = treadle_poisson_key(stream, seed);
    double number = -1.0;
    double time = 0.0;
    double count = 0.0;
    for (uint draw = 0; number < 0.0; ++draw) {
      const uint4 words = treadle_philox_block(position + (ulong)block, stream << 32 | draw, key);
      number = treadle_poisson_step(words, mean, &time, &count);
    }
    const uint x0 = (uint)number;
    x[start] = x0;
  }
}
