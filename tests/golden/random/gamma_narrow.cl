// random_gamma_float32, made by treadle's random generator: Philox4x32-10, 1 number of a block, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
#if defined(POCL_DEVICE_ADDRESS_BITS)
// k and log m of a positive x = 2^k m; `near` in the place of m - 1 where k is 0.
static inline double2 treadle_math_logarithm(double x, double near)
{
#pragma OPENCL FP_CONTRACT ON
  ulong bits = as_ulong(x), k = (bits - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52;
  double whole = as_double(k | 0x4330000000000000) - 4503599627371519.0;
  double f = whole == 0 ? near : as_double(bits - (k << 52) + 0x3ff0000000000000) - 1;
  double s = f / (f + 2), t = s * s;
  return (double2)(whole, s * (2.00000000000845 + t * (0.6666666523515579 + t * (0.4000038718742205 +
                              t * (0.2853489153226327 + t * 0.2361945488277656)))));
}

static inline double treadle_math_log_or(double result, double x)
{
#pragma OPENCL FP_CONTRACT ON
  return x < 0 ? (double)NAN : x == 0 ? -(double)INFINITY : x < (double)INFINITY ? result : x;
}

static inline float __attribute__((overloadable)) treadle_own_log(float x)
{
#pragma OPENCL FP_CONTRACT ON
  double2 l = treadle_math_logarithm(x, (double)x - 1);
  return (float)treadle_math_log_or(l.y + l.x * 0.6931471805599453, x);
}

#ifdef cl_khr_fp64
static inline double __attribute__((overloadable)) treadle_own_log(double x)
{
  return log(x);
}
#endif
#undef log
#define log treadle_own_log
#endif

// Poisson numbers. Number e has blocks of its own, one behind the other: counters {e, draw, stream} under this key, which
// no other numbers have. The upper half of the stream is part of it.
static inline __attribute__((always_inline)) ulong treadle_poisson_key(ulong stream, ulong seed)
{
  return (seed ^ 0x506f6973736f6e2eUL) +
         (stream >> 32) * 0x9e3779b97f4a7c15UL;
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

static inline double treadle_next_exponential(ulong *own)
{
  return -treadle_repeatable_log_float64(treadle_next_unit(own));
}

// exp(x), to a unit of the last digit: x = k log 2 + r, and Taylor's series of r.
static inline double treadle_repeatable_exp_float64(double x)
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
  double a = as_double((ulong)((ulong)(1023 + first) << 52));
  double b = as_double((ulong)((ulong)(1023 + whole - first) << 52));
  return p * a * b;
}

// x^y of normal numbers x > 0.
static inline double treadle_repeatable_pow_float64(double x, double y)
{
  return treadle_repeatable_exp_float64(y * treadle_repeatable_log_float64(x));
}

static inline __attribute__((always_inline)) double2 treadle_normal_pair_float64(ulong a, ulong b)
{
  double u = fma((double)(long)(a >> 11), 1.1102230246251565e-16, 5.551115123125783e-17);
  double radius = sqrt(-2.0 * treadle_repeatable_log_float64(u));
  ulong quarters = (b + 0x2000000000000000UL) >> 62;
  double y = (double)(long)(b - (quarters << 62)) * 2.168404344971009e-19, t = y * y;
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
  return ((double2)(radius * x, radius * y));
}

// Two normal numbers of one block.
static inline double2 treadle_next_normal_pair(ulong *own)
{
  uint4 words = treadle_next_block(own);
  return treadle_normal_pair_float64(treadle_joined_words(words.x, words.y),
                                     treadle_joined_words(words.z, words.w));
}

static inline double treadle_random_standard_gamma(ulong *own, double shape)
{
  if (shape == 0.0) return 0.0;
  if (shape == 1.0) return treadle_next_exponential(own);
  double power = 1.0, d = shape;
  if (shape < 1.0) {
    power = treadle_repeatable_pow_float64(treadle_next_unit(own), 1.0 / shape);
    d += 1.0;
  }
  d -= 0.3333333333333333;
  double c = 1.0 / sqrt(9.0 * d);
  for (int trial = 0; trial < 10000; ++trial) {
    double x = treadle_next_normal_pair(own).x, v = fma(c, x, 1.0);
    if (v <= 0.0) continue;
    v = v * v * v;
    double u = treadle_next_unit(own);
    if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
        treadle_repeatable_log_float64(u) < 0.5 * x * x + d * (1.0 - v + treadle_repeatable_log_float64(v)))
      return d * v * power;
  }
  return as_double((ulong)(0x7ff8000000000000UL));
}

static inline double treadle_random_gamma(ulong *own, double shape, double scale)
{
  return scale * treadle_random_standard_gamma(own, shape);
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) random_gamma_float32(
    __global float *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position,
    double given_shape, double given_scale) {
  x += x_offset;
  const long chunk = (long)(uint)get_group_id(0) * 65536;
  const long whole = n / 1;
  const long end = whole - chunk < 65536 ? whole : chunk + 65536;
  for (long block = chunk; block < end; ++block) {
    const long start = block * 1;
    ulong own[6] = {position + (ulong)block, stream << 32, treadle_poisson_key(stream, seed), 0, 0, 0};
    const double number = treadle_random_gamma(own, given_shape, given_scale);
    const float x0 = (float)number;
    x[start] = x0;
  }
}
