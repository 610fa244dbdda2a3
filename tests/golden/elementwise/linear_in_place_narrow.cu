// fused_cast_add_less_f64, made by treadle's elementwise generator:
//   z0 = add(z0, float64(x1))
//   z1 = less(z0, float64(x1))
// linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) fused_cast_add_less_f64(
    double *z0, unsigned char *__restrict__ z1, const signed char *x1, long long n,
    long long piece_length) {
  const long long start = (long long)blockIdx.x * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  for (long long i = start; i < end; ++i) {
    const double z0_i = z0[i];
    const signed char x1_i = x1[i];
    const double cast_2 = (double)x1_i;
    const double add_3 = z0_i + cast_2;
    const int less_4 = z0_i < cast_2;
    z0[i] = add_3;
    z1[i] = less_4;
  }
}
