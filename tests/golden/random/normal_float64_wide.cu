// random_normal_float64, made by treadle's random generator: Threefry4x32-20, 2 numbers of a block, wide schedule
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

static __device__ inline __attribute__((always_inline)) double2 treadle_normal_pair_float64(unsigned long long a, unsigned long long b)
{
  double u = fma((double)(long long)(a >> 11), 1.1102230246251565e-16, 5.551115123125783e-17);
  double radius = sqrt(-2.0 * treadle_repeatable_log_float64(u));
  unsigned long long quarters = (b + 0x2000000000000000ULL) >> 62;
  double y = (double)(long long)(b - (quarters << 62)) * 2.168404344971009e-19, t = y * y;
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
  return make_double2(radius * x, radius * y);
}

static __device__ inline __attribute__((always_inline)) unsigned long long treadle_joined_words(unsigned int low, unsigned int high)
{
  return (unsigned long long)high << 32 | low;
}

extern "C" __global__ void __launch_bounds__(256) random_normal_float64(
    double *__restrict__ x, long long n, unsigned long long seed, unsigned long long stream,
    unsigned long long position, double mean, double deviation) {
  const long long first_block = (long long)blockIdx.x * 2048 + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    const long long block = first_block + k * 256;
    const long long start = block * 2;
    if (start >= n)
      break;
    const uint4 words = treadle_threefry_block(position + (unsigned long long)block, stream, seed);
    const double2 pair0 = treadle_normal_pair_float64(treadle_joined_words(words.x, words.y), treadle_joined_words(words.z, words.w));
    const double x0 = mean + deviation * pair0.x;
    const double x1 = mean + deviation * pair0.y;
    if (n - start >= 2) {
      *(double2 *)(x + start) = make_double2(x0, x1);
    } else {
      x[start] = x0;
    }
  }
}
