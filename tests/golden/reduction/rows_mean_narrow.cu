// cast_sum_divide_f64, made by treadle's reduction generator:
//   sum_0 = sum of float64(x)
//   z = divide(sum_0, s0)
// rows, linear loop, narrow schedule
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
    double sum_0_part[8];
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0;
    }
    const long long start = 0;
    const long long end = n - start < piece_length ? n : start + piece_length;
    long long i = start;
    for (; i + 8 <= end; i += 8) {
      for (unsigned int k = 0; k < 8; ++k) {
        const signed char x_i = x_row[(i + k)];
        const double cast_2 = (double)x_i;
        sum_0_part[k] = sum_0_part[k] + cast_2;
      }
    }
    for (; i < end; ++i) {
      const signed char x_i = x_row[i];
      const double cast_2 = (double)x_i;
      sum_0 = sum_0 + cast_2;
    }
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0 = sum_0 + sum_0_part[k];
    }
    const double divide_5 = sum_0 / s0;
    z_row[0] = divide_5;
  }
}
