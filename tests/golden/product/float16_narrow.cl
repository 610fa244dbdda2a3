// product_float16_8, made by treadle's product generator: blocks of 64 x 128, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// Without cl_khr_fp16 a half can be pointed at, no more.
static inline float treadle_half_to_float(unsigned short bits)
{
  return vload_half(0, (const half *)&bits);
}

static inline unsigned short treadle_float_to_half(float number)
{
  unsigned short bits;
  vstore_half_rte(number, 0, (half *)&bits);
  return bits;
}

// By the bits of a float: there and back by vstore_half and vload_half goes through memory, and in
// PoCL through branches that take a second to compile.
static inline float treadle_round_half(float number)
{
  unsigned int size = as_uint(number) & 0x7fffffff;
  // To the nearest of 10 bits behind the first, ties to even; what reaches 2^16 is infinite.
  unsigned int rounded = (size + 0xfff + (size >> 13 & 1)) & 0xffffe000;
  rounded = rounded < 0x47800000 ? rounded : 0x7f800000;
  // Below 2^-14 the last bit is 2^-24, as that of a float between 0.5 and 1.
  if (size < 0x38800000) rounded = as_uint(as_float(size) + 0.5f - 0.5f);
  return copysign(as_float(size > 0x7f800000 ? size : rounded), number);
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) product_float16_8(
    const __global ushort *x, long x_offset, const __global ushort *y, long y_offset,
    __global ushort *restrict z, long z_offset, long m, long n, long k, long x_row, long x_column,
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
        const __global ushort * line = y + (from + deep) * y_row;
        if (y_column == 1) {
          for (int j = 0; j < width; ++j) {
            to[j] = treadle_half_to_float(line[j]);
          }
        } else {
          for (int j = 0; j < width; ++j) {
            to[j] = treadle_half_to_float(line[j * y_column]);
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
    for (int i = 0; i < height; i += 8) {
      for (int deep = 0; deep < padded; deep += 4) {
        const float * y0 = panel + (deep + 0) * 128;
        const float x0_0 = i + 0 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 0) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x1_0 = i + 1 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 1) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x2_0 = i + 2 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 2) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x3_0 = i + 3 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 3) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x4_0 = i + 4 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 4) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x5_0 = i + 5 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 5) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x6_0 = i + 6 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 6) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float x7_0 = i + 7 < height && deep + 0 < some ? treadle_half_to_float(x[(i + 7) * x_row + (from + deep + 0) * x_column]) : 0.0f;
        const float * y1 = panel + (deep + 1) * 128;
        const float x0_1 = i + 0 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 0) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x1_1 = i + 1 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 1) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x2_1 = i + 2 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 2) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x3_1 = i + 3 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 3) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x4_1 = i + 4 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 4) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x5_1 = i + 5 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 5) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x6_1 = i + 6 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 6) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float x7_1 = i + 7 < height && deep + 1 < some ? treadle_half_to_float(x[(i + 7) * x_row + (from + deep + 1) * x_column]) : 0.0f;
        const float * y2 = panel + (deep + 2) * 128;
        const float x0_2 = i + 0 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 0) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x1_2 = i + 1 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 1) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x2_2 = i + 2 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 2) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x3_2 = i + 3 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 3) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x4_2 = i + 4 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 4) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x5_2 = i + 5 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 5) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x6_2 = i + 6 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 6) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float x7_2 = i + 7 < height && deep + 2 < some ? treadle_half_to_float(x[(i + 7) * x_row + (from + deep + 2) * x_column]) : 0.0f;
        const float * y3 = panel + (deep + 3) * 128;
        const float x0_3 = i + 0 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 0) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x1_3 = i + 1 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 1) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x2_3 = i + 2 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 2) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x3_3 = i + 3 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 3) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x4_3 = i + 4 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 4) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x5_3 = i + 5 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 5) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x6_3 = i + 6 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 6) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        const float x7_3 = i + 7 < height && deep + 3 < some ? treadle_half_to_float(x[(i + 7) * x_row + (from + deep + 3) * x_column]) : 0.0f;
        float * z0 = sums + (i + 0) * 128;
        float * z1 = sums + (i + 1) * 128;
        float * z2 = sums + (i + 2) * 128;
        float * z3 = sums + (i + 3) * 128;
        float * z4 = sums + (i + 4) * 128;
        float * z5 = sums + (i + 5) * 128;
        float * z6 = sums + (i + 6) * 128;
        float * z7 = sums + (i + 7) * 128;
        for (int j = 0; j < lanes; ++j) {
          float s0 = z0[j];
          float s1 = z1[j];
          float s2 = z2[j];
          float s3 = z3[j];
          float s4 = z4[j];
          float s5 = z5[j];
          float s6 = z6[j];
          float s7 = z7[j];
          s0 = fma(x0_0, y0[j], s0);
          s1 = fma(x1_0, y0[j], s1);
          s2 = fma(x2_0, y0[j], s2);
          s3 = fma(x3_0, y0[j], s3);
          s4 = fma(x4_0, y0[j], s4);
          s5 = fma(x5_0, y0[j], s5);
          s6 = fma(x6_0, y0[j], s6);
          s7 = fma(x7_0, y0[j], s7);
          s0 = fma(x0_1, y1[j], s0);
          s1 = fma(x1_1, y1[j], s1);
          s2 = fma(x2_1, y1[j], s2);
          s3 = fma(x3_1, y1[j], s3);
          s4 = fma(x4_1, y1[j], s4);
          s5 = fma(x5_1, y1[j], s5);
          s6 = fma(x6_1, y1[j], s6);
          s7 = fma(x7_1, y1[j], s7);
          s0 = fma(x0_2, y2[j], s0);
          s1 = fma(x1_2, y2[j], s1);
          s2 = fma(x2_2, y2[j], s2);
          s3 = fma(x3_2, y2[j], s3);
          s4 = fma(x4_2, y2[j], s4);
          s5 = fma(x5_2, y2[j], s5);
          s6 = fma(x6_2, y2[j], s6);
          s7 = fma(x7_2, y2[j], s7);
          s0 = fma(x0_3, y3[j], s0);
          s1 = fma(x1_3, y3[j], s1);
          s2 = fma(x2_3, y3[j], s2);
          s3 = fma(x3_3, y3[j], s3);
          s4 = fma(x4_3, y3[j], s4);
          s5 = fma(x5_3, y3[j], s5);
          s6 = fma(x6_3, y3[j], s6);
          s7 = fma(x7_3, y3[j], s7);
          z0[j] = s0;
          z1[j] = s1;
          z2[j] = s2;
          z3[j] = s3;
          z4[j] = s4;
          z5[j] = s5;
          z6[j] = s6;
          z7[j] = s7;
        }
      }
    }
  }
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      z[i * n + j] = treadle_float_to_half(treadle_round_half(sums[i * 128 + j]));
    }
  }
}
