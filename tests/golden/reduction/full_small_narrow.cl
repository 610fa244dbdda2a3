// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
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

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sum_f32(
    const __global float *x, long x_offset, __global float *restrict z, long z_offset, long n,
    long piece_length, long tiles, long group_tiles) {
  x += x_offset;
  z += z_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const __global float *x_row = x;
    __global float *z_row = z;
    float sum_0 = 0.0f;
    float sum_0_left_out = 0.0f;
    float sum_0_part[8];
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    const long start = 0;
    const long end = n - start < piece_length ? n : start + piece_length;
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
          const float x_i = x_row[(i + k)];
          sum_0_part[k] = sum_0_part[k] + x_i;
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
        const float x_i = x_row[i];
        sum_0_block = sum_0_block + x_i;
      }
      {
        const float addend = sum_0_block;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
        sum_0 = total;
      }
    }
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
