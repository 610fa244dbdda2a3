// product_float32_4, made by treadle's product generator: blocks of 64 x 64, wide schedule
typedef struct __align__(16) {
  float at[4];
} float32_x4;

extern "C" __global__ void __launch_bounds__(256, 2)  product_float32_4(
    const float *x, const float *y, float *__restrict__ z, long long m, long long n, long long k,
    long long x_row, long long x_column, long long y_row, long long y_column, long long inner,
    long long x_outer, long long x_inner, long long y_outer, long long y_inner) {
  const long long blocks_down = (m + 63) / 64;
  const long long blocks_across = (n + 63) / 64;
  const long long group = (long long)blockIdx.x;
  const long long matrix = group / (blocks_down * blocks_across);
  const long long block = group % (blocks_down * blocks_across);
  const long long top = block % blocks_down * 64;
  const long long left = block / blocks_down * 64;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  z += matrix * m * n + top * n + left;
  const int height = m - top < 64 ? (int)(m - top) : 64;
  const int width = n - left < 64 ? (int)(n - left) : 64;
  __shared__ float32_x4 x_tiles[272];
  __shared__ float32_x4 y_tiles[272];
  const int item = (int)threadIdx.x;
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
  long long from = 0;
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
    __syncthreads();
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
        z[i * n + j] = sums[r * 4 + c];
      }
    }
  }
}
