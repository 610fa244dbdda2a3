// random_normal_float32, made by treadle's random generator: Philox4x32-10, 4 numbers of a block, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
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

// The natural logarithm of a normal number: of m in [sqrt(1/2), sqrt(2)) and of a power of two.
static inline __attribute__((always_inline)) float treadle_repeatable_log_float32(float x)
{
  uint bits = as_uint((float)(x)) - 0x3f3504f3u;
  float e = (float)((int)bits >> 23);
  float f = as_float((uint)((bits & 0x7fffffu) + 0x3f3504f3u)) - 1.0f;
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

// NVIDIA's own square root asks first whether its argument is in range; of 2^-100 to 2^100 this one is rounded
// correctly, too.
static inline __attribute__((always_inline)) float treadle_root_float32(float x)
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
static inline __attribute__((always_inline)) float2 treadle_normal_pair_float32(uint a, uint b)
{
  float u = fma((float)a, 2.3283064365386963e-10f, 1.1641532182693481e-10f);
  float square = -2.0f * treadle_repeatable_log_float32(u);
  float radius = treadle_root_float32(square > 1e-30f ? square : 1e-30f);
  uint turn = b + 0x20000000u;
  float y = (float)(int)(b - (turn & 0xc0000000u)) * 9.313225746154785e-10f, t = y * y;
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
  x = as_float((uint)(as_uint((float)(x)) ^ ((turn + 0x40000000u) & 0x80000000u)));
  y = as_float((uint)(as_uint((float)(y)) ^ (turn & 0x80000000u)));
  return ((float2)(radius * x, radius * y));
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) random_normal_float32(
    __global float *restrict x, long x_offset, long n, ulong seed, ulong stream, ulong position,
    float mean, float deviation) {
  x += x_offset;
  const long chunk = (long)(uint)get_group_id(0) * 16384;
  const long whole = n / 4;
  const long end = whole - chunk < 16384 ? whole : chunk + 16384;
  for (long block = chunk; block < end; ++block) {
    const long start = block * 4;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const float2 pair0 = treadle_normal_pair_float32(words.x, words.y);
    const float2 pair1 = treadle_normal_pair_float32(words.z, words.w);
    const float x0 = mean + deviation * pair0.x;
    const float x1 = mean + deviation * pair0.y;
    const float x2 = mean + deviation * pair1.x;
    const float x3 = mean + deviation * pair1.y;
    x[start] = x0;
    x[start + 1] = x1;
    x[start + 2] = x2;
    x[start + 3] = x3;
  }
  if (end == whole && n % 4 != 0) {
    const long block = whole;
    const long start = block * 4;
    const uint4 words = treadle_philox_block(position + (ulong)block, stream, seed);
    const float2 pair0 = treadle_normal_pair_float32(words.x, words.y);
    const float2 pair1 = treadle_normal_pair_float32(words.z, words.w);
    const float x0 = mean + deviation * pair0.x;
    const float x1 = mean + deviation * pair0.y;
    const float x2 = mean + deviation * pair1.x;
    x[start] = x0;
    if (n - start > 1) {
      x[start + 1] = x1;
    }
    if (n - start > 2) {
      x[start + 2] = x2;
    }
  }
}
