// product_add_tanh_float32_4, made by treadle's product generator: blocks of 64 x 64, wide schedule
//   result0 = tanh(add(product, beside0))
//   result1 = product
typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

#pragma OPENCL FP_CONTRACT OFF
#if defined(POCL_DEVICE_ADDRESS_BITS)
// 2^k (even + 1 + odd) is e^x; even, odd, 2^(k-1), 2^(-k-1). `rounded` has k in its lowest bits.
static inline double4 treadle_math_power(double r, double rounded)
{
#pragma OPENCL FP_CONTRACT ON
  ulong k = as_ulong(rounded) << 52;
  double t = r * r;
  double even = t * (0.4999999999995328 + t * (0.041666666789891914 + t * (0.0013888838109196045 +
                t * 2.4868533846344907e-05)));
  double odd = r + r * t * (0.16666666789936505 + t * (0.008333282536838129 + t * 0.00019908233311258217));
  return (double4)(even, odd, as_double(0x3fe0000000000000 + k), as_double(0x3fe0000000000000 - k));
}

static inline double4 treadle_math_power_of_e(double x)
{
#pragma OPENCL FP_CONTRACT ON
  double rounded = x * 1.4426950408889634 + 6755399441055744.0, k = rounded - 6755399441055744.0;
  return treadle_math_power(x - k * 0.6931471805599453, rounded);
}

static inline double treadle_math_clamp(double x, double limit)
{
#pragma OPENCL FP_CONTRACT ON
  return x < -limit ? -limit : x > limit ? limit : x;
}

static inline float __attribute__((overloadable)) treadle_own_tanh(float x)
{
#pragma OPENCL FP_CONTRACT ON
  double4 p = treadle_math_power_of_e(treadle_math_clamp(x, 20));
  double sum = p.z + p.w, difference = p.z - p.w, even = 1 + p.x;
  return copysign((float)((p.y * sum + even * difference) / (even * sum + p.y * difference)), x);
}

#ifdef cl_khr_fp64
static inline double __attribute__((overloadable)) treadle_own_tanh(double x)
{
  return tanh(x);
}
#endif
#undef tanh
#define tanh treadle_own_tanh
#endif

__kernel void __attribute__((reqd_work_group_size(256, 1, 1)))  product_add_tanh_float32_4(
    const __global float *x, long x_offset, const __global float *y, long y_offset,
    __global float *restrict result0, long result0_offset, __global float *restrict result1,
    long result1_offset, const __global float *beside0, long beside0_offset, long m, long n,
    long k, long x_row, long x_column, long y_row, long y_column, long inner, long x_outer,
    long x_inner, long y_outer, long y_inner, long result0_outer, long result0_inner,
    long result0_row, long result1_outer, long result1_inner, long result1_row,
    long result1_column, long beside0_outer, long beside0_inner, long beside0_row) {
  x += x_offset;
  y += y_offset;
  result0 += result0_offset;
  result1 += result1_offset;
  beside0 += beside0_offset;
  const long blocks_down = (m + 63) / 64;
  const long blocks_across = (n + 63) / 64;
  const long group = (long)(uint)get_group_id(0);
  const long matrix = group / (blocks_down * blocks_across);
  const long block = group % (blocks_down * blocks_across);
  const long top = block % blocks_down * 64;
  const long left = block / blocks_down * 64;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  result0 += matrix / inner * result0_outer + matrix % inner * result0_inner + top * result0_row + left;
  result1 += matrix / inner * result1_outer + matrix % inner * result1_inner + top * result1_row + left * result1_column;
  beside0 += matrix / inner * beside0_outer + matrix % inner * beside0_inner + top * beside0_row + left;
  const int height = m - top < 64 ? (int)(m - top) : 64;
  const int width = n - left < 64 ? (int)(n - left) : 64;
  __local float32_x4 x_tiles[272];
  __local float32_x4 y_tiles[272];
  const int item = (int)(uint)get_local_id(0);
  const int across = item % 8 + item / 32 % 2 * 8;
  const int down = item / 8 % 4 + item / 32 / 2 * 4;
  float sums[16];
  #pragma unroll
  for (int r = 0; r < 4; ++r) {
    #pragma unroll
    for (int c = 0; c < 4; ++c) {
      sums[r * 4 + c] = 0.0f;
    }
  }
  long from = 0;
  int rest = k - from < 8 ? (int)(k - from) : 8;
  const int x_at = item / 8;
  const int x_deep = item % 8;
  float next_x[2];
  int x_half = 0;
  x += x_at * x_row + x_deep * x_column;
  #pragma unroll
  for (int t = 0; t < 2; ++t) {
    next_x[t] = x_at + t * 32 < height && x_deep < rest ? x[t * 32 * x_row] : 0.0f;
  }
  x += 8 * x_column;
  const int y_at = item % 64;
  const int y_deep = item / 64;
  float next_y[2];
  int y_half = 0;
  y += y_at * y_column + y_deep * y_row;
  #pragma unroll
  for (int t = 0; t < 2; ++t) {
    next_y[t] = y_at < width && y_deep + t * 4 < rest ? y[t * 4 * y_row] : 0.0f;
  }
  y += 8 * y_row;
  while (from < k) {
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int at = x_at + t * 32;
      const int deep = x_deep;
      x_tiles[x_half + deep * 17 + at / 4].at[at % 4] = next_x[t];
    }
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int at = y_at;
      const int deep = y_deep + t * 4;
      y_tiles[y_half + deep * 17 + at / 4].at[at % 4] = next_y[t];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    from += 8;
    rest = k - from < 8 ? (int)(k - from) : 8;
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      next_x[t] = x_at + t * 32 < height && x_deep < rest ? x[t * 32 * x_row] : 0.0f;
    }
    x += 8 * x_column;
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      next_y[t] = y_at < width && y_deep + t * 4 < rest ? y[t * 4 * y_row] : 0.0f;
    }
    y += 8 * y_row;
    #pragma unroll
    for (int deep = 0; deep < 8; ++deep) {
      float32_x4 xs[1];
      #pragma unroll
      for (int q = 0; q < 1; ++q) {
        xs[q] = x_tiles[x_half + deep * 17 + q * 16 + down];
      }
      float32_x4 ys[1];
      #pragma unroll
      for (int q = 0; q < 1; ++q) {
        ys[q] = y_tiles[y_half + deep * 17 + q * 16 + across];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        #pragma unroll
        for (int c = 0; c < 4; ++c) {
          sums[r * 4 + c] = fma(xs[r / 4].at[r % 4], ys[c / 4].at[c % 4], sums[r * 4 + c]);
        }
      }
    }
    x_half = 136 - x_half;
    y_half = 136 - y_half;
  }
  #pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int i = down * 4 + r;
    #pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int j = across * 4 + c;
      if (i < height && j < width) {
        const float product = sums[r * 4 + c];
        const float beside0_i = beside0[i * beside0_row + j];
        const float add_2 = product + beside0_i;
        const float tanh_3 = tanh(add_2);
        result0[i * result0_row + j] = tanh_3;
        result1[i * result1_row + j * result1_column] = product;
      }
    }
  }
}
