// fused_cast_add_less_f64, made by treadle's elementwise generator:
//   z0 = add(z0, float64(x1))
//   z1 = less(z0, float64(x1))
// linear loop, wide schedule, elements at a time: 2 by one access
typedef struct __align__(16) {
  double at[2];
} float64_x2;
typedef struct __align__(2) {
  unsigned char at[2];
} bool_x2;
typedef struct __align__(2) {
  signed char at[2];
} int8_x2;

extern "C" __global__ void __launch_bounds__(256) fused_cast_add_less_f64(
    double *z0, unsigned char *__restrict__ z1, const signed char *x1, long long n) {
  const unsigned int lane = threadIdx.x;
  const long long start = (long long)blockIdx.x * 2048;
  const unsigned int left = n - start < 2048 ? (unsigned int)(n - start) : 2048;
  z0 += start;
  z1 += start;
  x1 += start;
  if (left == 2048) {
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      const unsigned int i = (k * 256 + lane) * 2;
      const float64_x2 z0_in = *(float64_x2 *)(z0 + i);
      float64_x2 z0_out;
      bool_x2 z1_out;
      const int8_x2 x1_in = *(const int8_x2 *)(x1 + i);
      #pragma unroll
      for (unsigned int j = 0; j < 2; ++j) {
        const double z0_i = z0_in.at[j];
        const signed char x1_i = x1_in.at[j];
        const double cast_2 = (double)x1_i;
        const double add_3 = z0_i + cast_2;
        const int less_4 = z0_i < cast_2;
        z0_out.at[j] = add_3;
        z1_out.at[j] = less_4;
      }
      *(float64_x2 *)(z0 + i) = z0_out;
      *(bool_x2 *)(z1 + i) = z1_out;
    }
  } else {
    for (unsigned int i = lane; i < left; i += 256) {
      const double z0_i = z0[i];
      const signed char x1_i = x1[i];
      const double cast_2 = (double)x1_i;
      const double add_3 = z0_i + cast_2;
      const int less_4 = z0_i < cast_2;
      z0[i] = add_3;
      z1[i] = less_4;
    }
  }
}
