// product_float16_8, made by treadle's product generator: blocks of 128 x 128, wide schedule
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

extern "C" __global__ void __launch_bounds__(256) product_float16_8(
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
  const long long height = m - top < 128 ? m - top : 128;
  const long long width = n - left < 128 ? n - left : 128;
  __shared__ float x_tiles[2112];
  __shared__ float y_tiles[2112];
  const int item = (int)threadIdx.x;
  const int across = item % 16;
  const int down = item / 16;
  float sums[64];
  #pragma unroll
  for (int r = 0; r < 8; ++r) {
    #pragma unroll
    for (int c = 0; c < 8; ++c) {
      sums[r * 8 + c] = 0.0f;
    }
  }
  long long from = 0;
  float next_x[4];
  int x_half = 0;
  #pragma unroll
  for (int t = 0; t < 4; ++t) {
    const int e = t * 256 + item;
    const int at = e % 128;
    const int deep = e / 128;
    next_x[t] = at < height && from + deep < k ? treadle_half_to_float(x[at * x_row + (from + deep) * x_column]) : 0.0f;
  }
  float next_y[4];
  int y_half = 0;
  #pragma unroll
  for (int t = 0; t < 4; ++t) {
    const int e = t * 256 + item;
    const int at = e / 8;
    const int deep = e % 8;
    next_y[t] = at < width && from + deep < k ? treadle_half_to_float(y[at * y_column + (from + deep) * y_row]) : 0.0f;
  }
  while (from < k) {
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int e = t * 256 + item;
      const int at = e % 128;
      const int deep = e / 128;
      x_tiles[x_half + deep * 132 + at] = next_x[t];
    }
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int e = t * 256 + item;
      const int at = e / 8;
      const int deep = e % 8;
      y_tiles[y_half + deep * 132 + at] = next_y[t];
    }
    __syncthreads();
    from += 8;
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int e = t * 256 + item;
      const int at = e % 128;
      const int deep = e / 128;
      next_x[t] = at < height && from + deep < k ? treadle_half_to_float(x[at * x_row + (from + deep) * x_column]) : 0.0f;
    }
    #pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int e = t * 256 + item;
      const int at = e / 8;
      const int deep = e % 8;
      next_y[t] = at < width && from + deep < k ? treadle_half_to_float(y[at * y_column + (from + deep) * y_row]) : 0.0f;
    }
    #pragma unroll
    for (int deep = 0; deep < 8; ++deep) {
      float xs[8];
      float ys[8];
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        xs[r] = x_tiles[x_half + deep * 132 + r / 4 * 64 + down * 4 + r % 4];
        ys[r] = y_tiles[y_half + deep * 132 + r / 4 * 64 + across * 4 + r % 4];
      }
      #pragma unroll
      for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int c = 0; c < 8; ++c) {
          sums[r * 8 + c] = fma(xs[r], ys[c], sums[r * 8 + c]);
        }
      }
    }
    x_half = 1056 - x_half;
    y_half = 1056 - y_half;
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
