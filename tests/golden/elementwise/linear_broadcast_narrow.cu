// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) fused_multiply_multiply_add_f32(
    float *__restrict__ z, const float *x0, const float *x1, float s0, float s1, long long n,
    long long piece_length, long long x1_step) {
  const long long start = (long long)blockIdx.x * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  const float x0_i = x0[0];
  const float multiply_2 = s0 * x0_i;
  for (long long i = start; i < end; ++i) {
    const float x1_i = x1[i * x1_step];
    const float multiply_5 = s1 * x1_i;
    const float add_6 = multiply_2 + multiply_5;
    z[i] = add_6;
  }
}
