// cast_sum_divide_f64, made by treadle's reduction generator:
//   sum_0 = sum of float64(x)
//   z = divide(sum_0, s0)
// rows, linear loop, narrow schedule
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline double treadle_left_out_float64(double a, double b, double sum)
{
  double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline double treadle_settled_float64(double sum, double left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

extern "C" __global__ void __launch_bounds__(1) cast_sum_divide_f64(
    const signed char *x, double *__restrict__ z, double s0, long long x_out_stride0,
    long long z_out_stride0, long long n, long long piece_length, long long tiles,
    long long group_tiles) {
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const long long out_index0 = tile;
    const signed char *x_row = x + out_index0 * x_out_stride0;
    double *z_row = z + out_index0 * z_out_stride0;
    double sum_0 = 0.0;
    double sum_0_left_out = 0.0;
    double sum_0_part[8];
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0;
    }
    const long long start = 0;
    const long long end = n - start < piece_length ? n : start + piece_length;
    long long i = start;
    long long length = end - i;
    while (length > 128) {
      length -= length / 16 * 8;
    }
    const long long block_length = (length + 7) / 8 * 8;
    while (i < end) {
      const long long block_end = end - i < block_length ? end : i + block_length;
      for (; i + 8 <= block_end; i += 8) {
        for (unsigned int k = 0; k < 8; ++k) {
          const signed char x_i = x_row[(i + k)];
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
        const signed char x_i = x_row[i];
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
