// random_binomial_int64, made by treadle's random generator: Philox4x32-10, 1 number of a block, wide schedule
// Poisson numbers. Number e has blocks of its own, one behind the other: counters {e, draw, stream} under this key, which
// no other numbers have. The upper half of the stream is part of it.
static __device__ inline __attribute__((always_inline)) unsigned long long treadle_poisson_key(unsigned long long stream, unsigned long long seed)
{
  return (seed ^ 0x506f6973736f6e2eULL) +
         (stream >> 32) * 0x9e3779b97f4a7c15ULL;
}

// exp(x), to a unit of the last digit: x = k log 2 + r, and Taylor's series of r.
static __device__ inline double treadle_repeatable_exp_float64(double x)
{
  x = x < 710.0 ? x : 710.0;
  x = x > -746.0 ? x : -746.0;
  double k = floor(fma(x, 1.4426950408889634, 0.5));
  double r = fma(-k, 5.497923018708371e-14, fma(-k, 0.6931471805598903, x));
  double p = 1.6059043836821613e-10;
  p = fma(p, r, 2.08767569878681e-09);
  p = fma(p, r, 2.505210838544172e-08);
  p = fma(p, r, 2.755731922398589e-07);
  p = fma(p, r, 2.7557319223985893e-06);
  p = fma(p, r, 2.48015873015873e-05);
  p = fma(p, r, 0.0001984126984126984);
  p = fma(p, r, 0.001388888888888889);
  p = fma(p, r, 0.008333333333333333);
  p = fma(p, r, 0.041666666666666664);
  p = fma(p, r, 0.16666666666666666);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  int whole = (int)k, first = whole / 2;
  double a = __longlong_as_double((long long)((unsigned long long)(1023 + first) << 52));
  double b = __longlong_as_double((long long)((unsigned long long)(1023 + whole - first) << 52));
  return p * a * b;
}

static __device__ inline __attribute__((always_inline)) double treadle_repeatable_log_float64(double x)
{
  unsigned long long bits = ((unsigned long long)__double_as_longlong(x)) - 0x3fe6a09e667f3bcdULL;
  double e = (double)((int)(bits >> 32) >> 20);
  bits &= 0xfffffffffffffULL;
  bits += 0x3fe6a09e667f3bcdULL;
  double f = __longlong_as_double((long long)(bits)) - 1.0;
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

// log(1 + x) and exp(x) - 1 of the functions without loss (W. Kahan; N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, section 1.14.1): the rounding of 1 + x is in both factors and cancels.
static __device__ inline double treadle_repeatable_log1p_float64(double x)
{
  double u = 1.0 + x;
  return u == 1.0 ? x : treadle_repeatable_log_float64(u) * x / (u - 1.0);
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

// Small means: the sum of probabilities up to a uniform number, from 0.
static __device__ inline double treadle_binomial_inversion(unsigned long long *own, double n, double p)
{
  double first = treadle_repeatable_exp_float64(n * treadle_repeatable_log1p_float64(-p));
  double odds = p / (1.0 - p);
  for (int trial = 0; trial < 10000; ++trial) {
    double u = treadle_next_unit(own), probability = first;
    for (double k = 0.0; k <= n && k < 200.0; k += 1.0) {
      if (u <= probability) return k;
      u -= probability;
      probability *= odds * (n - k) / (k + 1.0);
    }
  }
  return __longlong_as_double((long long)(0x7ff8000000000000ULL));
}

// The logarithm of k!, to 4e-11: of small k by the product, else Stirling's series.
static __device__ inline double treadle_log_factorial(double k)
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

// What Stirling's formula lacks of log(k!).
static __device__ inline double treadle_stirling_rest(double k)
{
  double x = k + 1.0;
  if (k < 10.0) {
    double near = fma(k + 0.5, treadle_repeatable_log_float64(x), 0.9189385332046727 - x);
    return treadle_log_factorial(k) - near;
  }
  double y = 1.0 / (x * x);
  return (0.08333333333333333 - (0.002777777777777778 - 0.0007936507936507937 * y) * y) / x;
}

// The logarithm of the probability of k, up to (n + 1) log(n - k + 1) and what is the same for all k.
static __device__ inline double treadle_binomial_density(double n, double p, double k)
{
  double q = 1.0 - p, excess = ((n + 1.0) * p - k - q) / ((k + 1.0) * q);
  return (k + 0.5) * treadle_repeatable_log1p_float64(excess) - treadle_stirling_rest(k) -
         treadle_stirling_rest(n - k);
}

// W. Hoermann: The generation of binomial random variates, Journal of Statistical Computation and Simulation 46 (1993),
// algorithm BTRS. Densities are those of its BTRD, by log1p, so that they do not cancel for large n. p is at most 1/2.
static __device__ inline double treadle_binomial_rejection(unsigned long long *own, double n, double p)
{
  double q = 1.0 - p, deviation = sqrt(n * p * q);
  double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  double mode = floor((n + 1.0) * p), density = treadle_binomial_density(n, p, mode);
  double alpha = (2.83 + 5.1 / b) * deviation;
  for (int trial = 0; trial < 10000; ++trial) {
    double u = treadle_next_unit(own) - 0.5, v = treadle_next_unit(own), edge = 0.5 - fabs(u);
    double k = floor((2.0 * a / edge + b) * u + n * p + 0.5);
    if (k < 0.0 || k > n) continue;
    if (edge >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    double hat = v * alpha / (a / (edge * edge) + b);
    double ratio = treadle_binomial_density(n, p, k) - density +
                   (n + 1.0) * treadle_repeatable_log1p_float64((k - mode) / (n - k + 1.0));
    if (treadle_repeatable_log_float64(hat) <= ratio) return k;
  }
  return __longlong_as_double((long long)(0x7ff8000000000000ULL));
}

static __device__ inline double treadle_random_binomial(unsigned long long *own, double n, double p)
{
  double rare = p > 0.5 ? 1.0 - p : p;
  if (n == 0.0 || rare == 0.0) return p > 0.5 ? n : 0.0;
  double k = n * rare < 10.0 ? treadle_binomial_inversion(own, n, rare) : treadle_binomial_rejection(own, n, rare);
  return p > 0.5 ? n - k : k;
}

extern "C" __global__ void __launch_bounds__(256) random_binomial_int64(
    long long *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position, double given_n, double given_p) {
  const long long block = (long long)blockIdx.x * 256 + threadIdx.x;
  const long long start = block * 1;
  if (start >= n)
    return;
  unsigned long long own[6] = {position + (unsigned long long)block, stream << 32, treadle_poisson_key(stream, seed), 0, 0, 0};
  const double number = treadle_random_binomial(own, given_n, given_p);
  const long long x0 = (long long)(number < 9223372036854774784.0 ? number : 9223372036854774784.0);
  x[start] = x0;
}
