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

// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static inline float treadle_left_out_float32(float a, float b, float sum)
{
  float of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static inline float treadle_settled_float32(float sum, float left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
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
    float sum_0_left_out = 0.0f;
    float maximum_1 = -INFINITY;
    float sum_0_part[8];
    float maximum_1_part[8];
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
      maximum_1_part[k] = -INFINITY;
    }
    const long start = 0;
    const long end = n - start < piece_length ? n : start + piece_length;
    const float x0_i = x0_row[0];
    const float sqrt_3 = sqrt(x0_i);
    long i = start;
    long length = end - i;
    while (length > 128) {
      length -= length / 16 * 8;
    }
    const long block_length = (length + 7) / 8 * 8;
    while (i < end) {
      const long block_end = end - i < block_length ? end : i + block_length;
      for (; i + 8 <= block_end; i += 8) {
        for (uint k = 0; k < 8; ++k) {
          const float x1_i = x1_row[(i + k)];
          const float multiply_5 = sqrt_3 * x1_i;
          const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
          sum_0_part[k] = sum_0_part[k] + multiply_5;
          maximum_1_part[k] = treadle_maximum_float32(maximum_1_part[k], maximum_6);
        }
      }
      float sum_0_block = (((((sum_0_part[0] + sum_0_part[1])) + ((sum_0_part[2] + sum_0_part[3])))) + ((((sum_0_part[4] + sum_0_part[5])) + ((sum_0_part[6] + sum_0_part[7])))));
      sum_0_part[0] = 0.0f;
      sum_0_part[1] = 0.0f;
      sum_0_part[2] = 0.0f;
      sum_0_part[3] = 0.0f;
      sum_0_part[4] = 0.0f;
      sum_0_part[5] = 0.0f;
      sum_0_part[6] = 0.0f;
      sum_0_part[7] = 0.0f;
      for (; i < block_end; ++i) {
        const float x1_i = x1_row[i];
        const float multiply_5 = sqrt_3 * x1_i;
        const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
        sum_0_block = sum_0_block + multiply_5;
        maximum_1 = treadle_maximum_float32(maximum_1, maximum_6);
      }
      {
        const float addend = sum_0_block;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
        sum_0 = total;
      }
    }
    for (uint k = 0; k < 8; ++k) {
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_part[k]);
    }
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    const float sqrt_8 = sqrt(sum_0);
    z0_row[0] = sqrt_8;
    z1_row[0] = maximum_1;
  }
}
