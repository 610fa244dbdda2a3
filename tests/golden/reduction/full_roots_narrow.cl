// sqrt_multiply_maximum_sum_maximum_sqrt_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(sqrt(x0), x1)
//   maximum_1 = maximum of maximum(sqrt(x0), x1)
//   z0 = sqrt(sum_0)
//   z1 = maximum_1
// rows, linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// NaN if either is.
static inline float treadle_maximum_float32(float a, float b)
{
  return a > b || isnan(a) ? a : b;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sqrt_multiply_maximum_sum_maximum_sqrt_f32(
    const __global float *x0, long x0_offset, const __global float *x1, long x1_offset,
    __global float *restrict z0, long z0_offset, __global float *restrict z1, long z1_offset,
    long n, long piece_length, long tiles, long group_tiles) {
  x0 += x0_offset;
  x1 += x1_offset;
  z0 += z0_offset;
  z1 += z1_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const __global float *x0_row = x0;
    const __global float *x1_row = x1;
    __global float *z0_row = z0;
    __global float *z1_row = z1;
    float sum_0 = 0.0f;
    float maximum_1 = -INFINITY;
    float sum_0_part[128];
    float maximum_1_part[128];
    for (uint k = 0; k < 128; ++k) {
      sum_0_part[k] = 0.0f;
      maximum_1_part[k] = -INFINITY;
    }
    const long start = 0;
    const long end = n - start < piece_length ? n : start + piece_length;
    const float x0_i = x0_row[0];
    const float sqrt_3 = sqrt(x0_i);
    long i = start;
    for (; i + 128 <= end; i += 128) {
      for (uint k = 0; k < 128; ++k) {
        const float x1_i = x1_row[(i + k)];
        const float multiply_5 = sqrt_3 * x1_i;
        const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
        sum_0_part[k] = sum_0_part[k] + multiply_5;
        maximum_1_part[k] = treadle_maximum_float32(maximum_1_part[k], maximum_6);
      }
    }
    for (; i < end; ++i) {
      const float x1_i = x1_row[i];
      const float multiply_5 = sqrt_3 * x1_i;
      const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
      sum_0 = sum_0 + multiply_5;
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_6);
    }
    for (uint k = 0; k < 128; ++k) {
      sum_0 = sum_0 + sum_0_part[k];
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_part[k]);
    }
    const float sqrt_8 = sqrt(sum_0);
    z0_row[0] = sqrt_8;
    z1_row[0] = maximum_1;
  }
}
