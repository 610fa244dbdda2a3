// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// tiled loop, wide schedule, outer axes: 1
// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static __device__ inline unsigned int divided(unsigned int dividend, unsigned long long divider) {
  return (__umulhi(dividend, (unsigned int)divider) + dividend) >> (unsigned int)(divider >> 32);
}

extern "C" __global__ void __launch_bounds__(256) fused_multiply_multiply_add_f32(
    float *__restrict__ z, const float *x0, const float *x1, float s0, float s1, long long inner,
    long long second, unsigned int row_pieces, unsigned int column_pieces,
    unsigned long long row_divider, unsigned long long column_divider, long long z_stride0,
    long long z_second, long long x0_stride0, long long x0_step, long long x1_stride0,
    long long x1_second) {
  __shared__ float x0_tile[32][33];
  const unsigned int lane = threadIdx.x % 32;
  const unsigned int line = threadIdx.x / 32;
  const unsigned int column = divided(blockIdx.x, row_divider);
  const unsigned int outer = divided(column, column_divider);
  const long long a0 = (long long)(blockIdx.x - column * row_pieces) * 32;
  const long long b0 = (long long)(column - outer * column_pieces) * 32;
  const unsigned int index0 = outer;
  z += index0 * z_stride0;
  x0 += index0 * x0_stride0;
  x1 += index0 * x1_stride0;
  #pragma unroll
  for (unsigned int k = 0; k < 32; k += 8) {
    const long long a = a0 + line + k;
    const long long b = b0 + lane;
    if (a < inner && b < second) {
      x0_tile[line + k][lane] = x0[b + a * x0_step];
    }
  }
  __syncthreads();
  #pragma unroll
  for (unsigned int k = 0; k < 32; k += 8) {
    const long long a = a0 + lane;
    const long long b = b0 + line + k;
    if (a < inner && b < second) {
      const float x0_i = x0_tile[lane][line + k];
      const float multiply_2 = s0 * x0_i;
      const float x1_i = x1[b * x1_second];
      const float multiply_5 = s1 * x1_i;
      const float add_6 = multiply_2 + multiply_5;
      z[b * z_second + a] = add_6;
    }
  }
}
