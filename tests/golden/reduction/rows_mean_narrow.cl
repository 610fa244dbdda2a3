// cast_sum_divide_f64, made by treadle's reduction generator:
//   sum_0 = sum of float64(x)
//   z = divide(sum_0, s0)
// rows, linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static inline double treadle_left_out_float64(double a, double b, double sum)
{
  double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static inline double treadle_settled_float64(double sum, double left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) cast_sum_divide_f64(
    const __global char *x, long x_offset, __global double *restrict z, long z_offset, double s0,
    long x_out_stride0, long z_out_stride0, long n, long piece_length, long tiles,
    long group_tiles) {
  x += x_offset;
  z += z_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const long out_index0 = tile;
    const __global char *x_row = x + out_index0 * x_out_stride0;
    __global double *z_row = z + out_index0 * z_out_stride0;
    double sum_0 = 0.0;
    double sum_0_left_out = 0.0;
    double sum_0_part[8];
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0;
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
          const char x_i = x_row[(i + k)];
          const double cast_2 = (double)x_i;
          sum_0_part[k] = sum_0_part[k] + cast_2;
        }
      }
      double sum_0_block = (((((sum_0_part[0] + sum_0_part[1])) + ((sum_0_part[2] + sum_0_part[3])))) + ((((sum_0_part[4] + sum_0_part[5])) + ((sum_0_part[6] + sum_0_part[7])))));
      sum_0_part[0] = 0.0;
      sum_0_part[1] = 0.0;
      sum_0_part[2] = 0.0;
      sum_0_part[3] = 0.0;
      sum_0_part[4] = 0.0;
      sum_0_part[5] = 0.0;
      sum_0_part[6] = 0.0;
      sum_0_part[7] = 0.0;
      for (; i < block_end; ++i) {
        const char x_i = x_row[i];
        const double cast_2 = (double)x_i;
        sum_0_block = sum_0_block + cast_2;
      }
      {
        const double addend = sum_0_block;
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
        sum_0 = total;
      }
    }
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    const double divide_5 = sum_0 / s0;
    z_row[0] = divide_5;
  }
}
