// product_float16_8, made by treadle's product generator: blocks of 128 x 128, wide schedule
typedef struct __align__(16) {
  float at[4];
} float32_x4;

static __device__ inline float treadle_half_to_float(unsigned short bits)
{
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
  return number;
}

static __device__ inline unsigned short treadle_float_to_half(float number)
{
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
  return bits;
}

static __device__ inline float treadle_round_half(float number)
{
  return treadle_half_to_float(treadle_float_to_half(number));
}

extern "C" __global__ void __launch_bounds__(256, 2)  product_float16_8(
    const unsigned short *x, const unsigned short *y, unsigned short *__restrict__ z, long long m,
    long long n, long long k, long long x_row, long long x_column, long long y_row,
    long long y_column, long long inner, long long x_outer, long long x_inner, long long y_outer,
    long long y_inner) {
  const long long blocks_down = (m + 127) / 128;
  const long long blocks_across = (n + 127) / 128;
  const long long group = (long long)blockIdx.x;
  const long long matrix = group / (blocks_down * blocks_across);
  const long long block = group % (blocks_down * blocks_across);
  const long long top = block % blocks_down * 128;
  const long long left = block / blocks_down * 128;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  z += matrix * m * n + top * n + left;
  const int height = m - top < 128 ? (int)(m - top) : 128;
  const int width = n - left < 128 ? (int)(n - left) : 128;
  __shared__ float32_x4 x_tiles[528];
  __shared__ float32_x4 y_tiles[528];
  const int item = (int)threadIdx.x;
  const int across = item % 8 + item / 32 % 2 * 8;
  const int down = item / 8 % 4 + item / 32 / 2 * 4;
  float sums[64];
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    #pragma unroll
    for (int c = 0; c < 8; ++c) {
      sums[r * 8 + c] = 0.0f;
    }
  }
  long long from = 0;
  int rest = k - from < 8 ? (int)(k - from) : 8;
  const int x_at = item % 128;
  const int x_deep = item / 128;
  float next_x[4];
  int x_half = 0;
  x += x_at * x_row + x_deep * x_column;
  #pragma unroll
  for (int t = 0; t < 4; ++t) {
    next_x[t] = x_at < height && x_deep + t * 2 < rest ? treadle_half_to_float(x[t * 2 * x_column]) : 0.0f;
  }
  x += 8 * x_column;
  const int y_at = item / 8;
  const int y_deep = item % 8;
  float next_y[4];
  int y_half = 0;
  y += y_at * y_column + y_deep * y_row;
  #pragma unroll
  for (int t = 0; t < 4; ++t) {
    next_y[t] = y_at + t * 32 < width && y_deep < rest ? treadle_half_to_float(y[t * 32 * y_column]) : 0.0f;
  }
  y += 8 * y_row;
  while (from < k) {
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int at = x_at;
      const int deep = x_deep + t * 2;
      x_tiles[x_half + deep * 33 + at / 4].at[at % 4] = next_x[t];
    }
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int at = y_at + t * 32;
      const int deep = y_deep;
      y_tiles[y_half + deep * 33 + at / 4].at[at % 4] = next_y[t];
    }
    __syncthreads();
    from += 8;
    rest = k - from < 8 ? (int)(k - from) : 8;
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      next_x[t] = x_at < height && x_deep + t * 2 < rest ? treadle_half_to_float(x[t * 2 * x_column]) : 0.0f;
    }
    x += 8 * x_column;
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      next_y[t] = y_at + t * 32 < width && y_deep < rest ? treadle_half_to_float(y[t * 32 * y_column]) : 0.0f;
    }
    y += 8 * y_row;
    #pragma unroll
    for (int deep = 0; deep < 8; ++deep) {
      float32_x4 xs[2];
      #pragma unroll
      for (int q = 0; q < 2; ++q) {
        xs[q] = x_tiles[x_half + deep * 33 + q * 16 + down];
      }
      float32_x4 ys[2];
      #pragma unroll
      for (int q = 0; q < 2; ++q) {
        ys[q] = y_tiles[y_half + deep * 33 + q * 16 + across];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int c = 0; c < 8; ++c) {
          sums[r * 8 + c] = fma(xs[r / 4].at[r % 4], ys[c / 4].at[c % 4], sums[r * 8 + c]);
        }
      }
    }
    x_half = 264 - x_half;
    y_half = 264 - y_half;
  }
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    const int i = r / 4 * 64 + down * 4 + r % 4;
    #pragma unroll
    for (int c = 0; c < 8; ++c) {
      const int j = c / 4 * 64 + across * 4 + c % 4;
      if (i < height && j < width) {
        z[i * n + j] = treadle_float_to_half(treadle_round_half(sums[r * 8 + c]));
      }
    }
  }
}
