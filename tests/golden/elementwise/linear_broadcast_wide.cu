// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// linear loop, wide schedule, elements at a time: 4
extern "C" __global__ void __launch_bounds__(256) fused_multiply_multiply_add_f32(
    float *__restrict__ z, const float *x0, const float *x1, float s0, float s1, long long n,
    long long x1_step) {
  const unsigned int lane = threadIdx.x;
  const long long start = (long long)blockIdx.x * 2048;
  const unsigned int left = n - start < 2048 ? (unsigned int)(n - start) : 2048;
  z += start;
  x1 += start * x1_step;
  const float x0_i = x0[0];
  const float multiply_2 = s0 * x0_i;
  if (left == 2048) {
    #pragma unroll
    for (unsigned int k = 0; k < 8; ++k) {
      const unsigned int i = k * 256 + lane;
      const float x1_i = x1[i * x1_step];
      const float multiply_5 = s1 * x1_i;
      const float add_6 = multiply_2 + multiply_5;
      z[i] = add_6;
    }
  } else {
    for (unsigned int i = lane; i < left; i += 256) {
      const float x1_i = x1[i * x1_step];
      const float multiply_5 = s1 * x1_i;
      const float add_6 = multiply_2 + multiply_5;
      z[i] = add_6;
    }
  }
}
