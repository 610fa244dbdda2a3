// product_float32_4, made by treadle's product generator: blocks of 64 x 128, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) product_float32_4(
    const __global float *x, long x_offset, const __global float *y, long y_offset,
    __global float *restrict z, long z_offset, long m, long n, long k, long x_row, long x_column,
    long y_row, long y_column, long inner, long x_outer, long x_inner, long y_outer, long y_inner) {
  x += x_offset;
  y += y_offset;
  z += z_offset;
  const long blocks_down = (m + 63) / 64;
  const long blocks_across = (n + 127) / 128;
  const long group = (long)(uint)get_group_id(0);
  const long matrix = group / (blocks_down * blocks_across);
  const long block = group % (blocks_down * blocks_across);
  const long top = block % blocks_down * 64;
  const long left = block / blocks_down * 128;
  x += matrix / inner * x_outer + matrix % inner * x_inner + top * x_row;
  y += matrix / inner * y_outer + matrix % inner * y_inner + left * y_column;
  z += matrix * m * n + top * n + left;
  const int height = m - top < 64 ? (int)(m - top) : 64;
  const int width = n - left < 128 ? (int)(n - left) : 128;
  float sums[64 * 128];
  float panel[64 * 128];
  const int lanes = (width + 15) / 16 * 16;
  for (int e = 0; e < 64 * 128; ++e) {
    sums[e] = 0.0f;
  }
  for (long from = 0; from < k; from += 64) {
    const int some = k - from < 64 ? (int)(k - from) : 64;
    const int padded = (some + 3) / 4 * 4;
    for (int deep = 0; deep < padded; ++deep) {
      float * to = panel + deep * 128;
      if (deep < some) {
        const __global float * line = y + (from + deep) * y_row;
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
      z[i * n + j] = sums[i * 128 + j];
    }
  }
}
