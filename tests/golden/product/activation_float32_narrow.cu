// product_add_tanh_float32_4, made by treadle's product generator: blocks of 64 x 128, narrow schedule
//   result0 = tanh(add(product, beside0))
//   result1 = product
extern "C" __global__ void __launch_bounds__(1) product_add_tanh_float32_4(
    const float *x, const float *y, float *__restrict__ result0, float *__restrict__ result1,
    const float *beside0, long long m, long long n, long long k, long long x_row,
    long long x_column, long long y_row, long long y_column, long long inner, long long x_outer,
    long long x_inner, long long y_outer, long long y_inner, long long result0_outer,
    long long result0_inner, long long result0_row, long long result1_outer,
    long long result1_inner, long long result1_row, long long result1_column,
    long long beside0_outer, long long beside0_inner, long long beside0_row) {
  const long long blocks_down = (m + 63) / 64;
  const long long blocks_across = (n + 127) / 128;
  const long long group = (long long)blockIdx.x;
  const long long matrix = group / (blocks_down * blocks_across);
  const long long block = group % (blocks_down * blocks_across);
  const long long top = block % blocks_down * 64;
  const long long left = block / blocks_down * 128;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  result0 += matrix / inner * result0_outer + matrix % inner * result0_inner + top * result0_row + left;
  result1 += matrix / inner * result1_outer + matrix % inner * result1_inner + top * result1_row + left * result1_column;
  beside0 += matrix / inner * beside0_outer + matrix % inner * beside0_inner + top * beside0_row + left;
  const int height = m - top < 64 ? (int)(m - top) : 64;
  const int width = n - left < 128 ? (int)(n - left) : 128;
  float sums[64 * 128];
  float panel[64 * 128];
  const int lanes = (width + 15) / 16 * 16;
  for (int e = 0; e < 64 * 128; ++e) {
    sums[e] = 0.0f;
  }
  for (long long from = 0; from < k; from += 64) {
    const int some = k - from < 64 ? (int)(k - from) : 64;
    const int padded = (some + 3) / 4 * 4;
    for (int deep = 0; deep < padded; ++deep) {
      float * to = panel + deep * 128;
      if (deep < some) {
        const float * line = y + (from + deep) * y_row;
        if (y_column == 1) {
          for (int j = 0; j < width; ++j) {
            to[j] = line[j];
          }
        } else {
          for (int j = 0; j < width; ++j) {
            to[j] = line[j * y_column];
          }
        }
        for (int j = width; j < lanes; ++j) {
          to[j] = 0.0f;
        }
      } else {
        for (int j = 0; j < lanes; ++j) {
          to[j] = 0.0f;
        }
      }
    }
    for (int i = 0; i < height; i += 4) {
      for (int deep = 0; deep < padded; deep += 4) {
        const float * y0 = panel + (deep + 0) * 128;
        const float x0_0 = i + 0 < height && deep + 0 < some ? x[(i + 0) * x_row + (from + deep + 0) * x_column] : 0.0f;
        const float x1_0 = i + 1 < height && deep + 0 < some ? x[(i + 1) * x_row + (from + deep + 0) * x_column] : 0.0f;
        const float x2_0 = i + 2 < height && deep + 0 < some ? x[(i + 2) * x_row + (from + deep + 0) * x_column] : 0.0f;
        const float x3_0 = i + 3 < height && deep + 0 < some ? x[(i + 3) * x_row + (from + deep + 0) * x_column] : 0.0f;
        const float * y1 = panel + (deep + 1) * 128;
        const float x0_1 = i + 0 < height && deep + 1 < some ? x[(i + 0) * x_row + (from + deep + 1) * x_column] : 0.0f;
        const float x1_1 = i + 1 < height && deep + 1 < some ? x[(i + 1) * x_row + (from + deep + 1) * x_column] : 0.0f;
        const float x2_1 = i + 2 < height && deep + 1 < some ? x[(i + 2) * x_row + (from + deep + 1) * x_column] : 0.0f;
        const float x3_1 = i + 3 < height && deep + 1 < some ? x[(i + 3) * x_row + (from + deep + 1) * x_column] : 0.0f;
        const float * y2 = panel + (deep + 2) * 128;
        const float x0_2 = i + 0 < height && deep + 2 < some ? x[(i + 0) * x_row + (from + deep + 2) * x_column] : 0.0f;
        const float x1_2 = i + 1 < height && deep + 2 < some ? x[(i + 1) * x_row + (from + deep + 2) * x_column] : 0.0f;
        const float x2_2 = i + 2 < height && deep + 2 < some ? x[(i + 2) * x_row + (from + deep + 2) * x_column] : 0.0f;
        const float x3_2 = i + 3 < height && deep + 2 < some ? x[(i + 3) * x_row + (from + deep + 2) * x_column] : 0.0f;
        const float * y3 = panel + (deep + 3) * 128;
        const float x0_3 = i + 0 < height && deep + 3 < some ? x[(i + 0) * x_row + (from + deep + 3) * x_column] : 0.0f;
        const float x1_3 = i + 1 < height && deep + 3 < some ? x[(i + 1) * x_row + (from + deep + 3) * x_column] : 0.0f;
        const float x2_3 = i + 2 < height && deep + 3 < some ? x[(i + 2) * x_row + (from + deep + 3) * x_column] : 0.0f;
        const float x3_3 = i + 3 < height && deep + 3 < some ? x[(i + 3) * x_row + (from + deep + 3) * x_column] : 0.0f;
        float * z0 = sums + (i + 0) * 128;
        float * z1 = sums + (i + 1) * 128;
        float * z2 = sums + (i + 2) * 128;
        float * z3 = sums + (i + 3) * 128;
        for (int j = 0; j < lanes; ++j) {
          float s0 = z0[j];
          float s1 = z1[j];
          float s2 = z2[j];
          float s3 = z3[j];
          s0 = fma(x0_0, y0[j], s0);
          s1 = fma(x1_0, y0[j], s1);
          s2 = fma(x2_0, y0[j], s2);
          s3 = fma(x3_0, y0[j], s3);
          s0 = fma(x0_1, y1[j], s0);
          s1 = fma(x1_1, y1[j], s1);
          s2 = fma(x2_1, y1[j], s2);
          s3 = fma(x3_1, y1[j], s3);
          s0 = fma(x0_2, y2[j], s0);
          s1 = fma(x1_2, y2[j], s1);
          s2 = fma(x2_2, y2[j], s2);
          s3 = fma(x3_2, y2[j], s3);
          s0 = fma(x0_3, y3[j], s0);
          s1 = fma(x1_3, y3[j], s1);
          s2 = fma(x2_3, y3[j], s2);
          s3 = fma(x3_3, y3[j], s3);
          z0[j] = s0;
          z1[j] = s1;
          z2[j] = s2;
          z3[j] = s3;
        }
      }
    }
  }
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      const float product = sums[i * 128 + j];
      const float beside0_i = beside0[i * beside0_row + j];
      const float add_2 = product + beside0_i;
      const float tanh_3 = tanh(add_2);
      result0[i * result0_row + j] = tanh_3;
      result1[i * result1_row + j * result1_column] = product;
    }
  }
}
