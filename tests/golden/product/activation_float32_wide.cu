// product_add_tanh_float32_4, made by treadle's product generator: blocks of 64 x 64, wide schedule
//   result0 = tanh(add(product, beside0))
//   result1 = product
extern "C" __global__ void __launch_bounds__(256) product_add_tanh_float32_4(
    const float *x, const float *y, float *__restrict__ result0, float *__restrict__ result1,
    const float *beside0, long long m, long long n, long long k, long long x_row,
    long long x_column, long long y_row, long long y_column, long long inner, long long x_outer,
    long long x_inner, long long y_outer, long long y_inner, long long result0_outer,
    long long result0_inner, long long result0_row, long long result1_outer,
    long long result1_inner, long long result1_row, long long result1_column,
    long long beside0_outer, long long beside0_inner, long long beside0_row) {
  const long long blocks_down = (m + 63) / 64;
  const long long blocks_across = (n + 63) / 64;
  const long long group = (long long)blockIdx.x;
  const long long matrix = group / (blocks_down * blocks_across);
  const long long block = group % (blocks_down * blocks_across);
  const long long top = block % blocks_down * 64;
  const long long left = block / blocks_down * 64;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  result0 += matrix / inner * result0_outer + matrix % inner * result0_inner + top * result0_row + left;
  result1 += matrix / inner * result1_outer + matrix % inner * result1_inner + top * result1_row + left * result1_column;
  beside0 += matrix / inner * beside0_outer + matrix % inner * beside0_inner + top * beside0_row + left;
  const long long height = m - top < 64 ? m - top : 64;
  const long long width = n - left < 64 ? n - left : 64;
  __shared__ float x_tiles[1088];
  __shared__ float y_tiles[1088];
  const int item = (int)threadIdx.x;
  const int across = item % 16;
  const int down = item / 16;
  float sums[16];
  #pragma unroll
  for (int r = 0; r < 4; ++r) {
    #pragma unroll
    for (int c = 0; c < 4; ++c) {
      sums[r * 4 + c] = 0.0f;
    }
  }
  long long from = 0;
  float next_x[2];
  int x_half = 0;
  #pragma unroll
  for (int t = 0; t < 2; ++t) {
    const int e = t * 256 + item;
    const int at = e / 8;
    const int deep = e % 8;
    next_x[t] = at < height && from + deep < k ? x[at * x_row + (from + deep) * x_column] : 0.0f;
  }
  float next_y[2];
  int y_half = 0;
  #pragma unroll
  for (int t = 0; t < 2; ++t) {
    const int e = t * 256 + item;
    const int at = e % 64;
    const int deep = e / 64;
    next_y[t] = at < width && from + deep < k ? y[at * y_column + (from + deep) * y_row] : 0.0f;
  }
  while (from < k) {
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int e = t * 256 + item;
      const int at = e / 8;
      const int deep = e % 8;
      x_tiles[x_half + deep * 68 + at] = next_x[t];
    }
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int e = t * 256 + item;
      const int at = e % 64;
      const int deep = e / 64;
      y_tiles[y_half + deep * 68 + at] = next_y[t];
    }
    __syncthreads();
    from += 8;
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int e = t * 256 + item;
      const int at = e / 8;
      const int deep = e % 8;
      next_x[t] = at < height && from + deep < k ? x[at * x_row + (from + deep) * x_column] : 0.0f;
    }
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int e = t * 256 + item;
      const int at = e % 64;
      const int deep = e / 64;
      next_y[t] = at < width && from + deep < k ? y[at * y_column + (from + deep) * y_row] : 0.0f;
    }
    #pragma unroll
    for (int deep = 0; deep < 8; ++deep) {
      float xs[4];
      float ys[4];
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        xs[r] = x_tiles[x_half + deep * 68 + down * 4 + r];
        ys[r] = y_tiles[y_half + deep * 68 + across * 4 + r];
      }
      #pragma unroll
      for (int r = 0; r < 4; ++r) {
        #pragma unroll
        for (int c = 0; c < 4; ++c) {
          sums[r * 4 + c] = fma(xs[r], ys[c], sums[r * 4 + c]);
        }
      }
    }
    x_half = 544 - x_half;
    y_half = 544 - y_half;
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
