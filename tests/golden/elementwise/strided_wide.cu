// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// strided loop, wide schedule, outer axes: 1, elements at a time: 4
// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static __device__ inline unsigned int divided(unsigned int dividend, unsigned long long divider) {
  return (__umulhi(dividend, (unsigned int)divider) + dividend) >> (unsigned int)(divider >> 32);
}

extern "C" __global__ void __launch_bounds__(256) fused_multiply_multiply_add_f32(
    float *__restrict__ z, const float *x0, const float *x1, float s0, float s1, long long n,
    unsigned int extent1, unsigned long long divider1, long long z_stride0, long long z_stride1,
    long long x0_stride0, long long x0_stride1) {
  const float x1_i = x1[0];
  const float multiply_5 = s1 * x1_i;
  #pragma unroll
  for (unsigned int k = 0; k < 4; ++k) {
    const unsigned int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) {
      const unsigned int index0 = divided(i, divider1);
      const unsigned int index1 = i - index0 * extent1;
      const long long z_at = index0 * z_stride0 + index1 * z_stride1;
      const long long x0_at = index0 * x0_stride0 + index1 * x0_stride1;
      const float x0_i = x0[x0_at];
      const float multiply_2 = s0 * x0_i;
      const float add_6 = multiply_2 + multiply_5;
      z[z_at] = add_6;
    }
  }
}
