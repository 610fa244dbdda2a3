// product_float32_4, made by treadle's product generator: blocks of 64 x 64, wide schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) product_float32_4(
    const __global float *x, long x_offset, const __global float *y, long y_offset,
    __global float *restrict z, long z_offset, long m, long n, long k, long x_row, long x_column,
    long y_row, long y_column, long inner, long x_outer, long x_inner, long y_outer, long y_inner) {
  x += x_offset;
  y += y_offset;
  z += z_offset;
  const long blocks_down = (m + 63) / 64;
  const long blocks_across = (n + 63) / 64;
  const long group = (long)(uint)get_group_id(0);
  const long matrix = group / (blocks_down * blocks_across);
  const long block = group % (blocks_down * blocks_across);
  const long top = block % blocks_down * 64;
  const long left = block / blocks_down * 64;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  z += matrix * m * n + top * n + left;
  const long height = m - top < 64 ? m - top : 64;
  const long width = n - left < 64 ? n - left : 64;
  __local float x_tiles[1088];
  __local float y_tiles[1088];
  const int item = (int)(uint)get_local_id(0);
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
  long from = 0;
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
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
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
        z[i * n + j] = sums[r * 4 + c];
      }
    }
  }
}
