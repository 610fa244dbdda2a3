// fused_cast_multiply_f32, made by treadle's elementwise generator:
//   z = multiply(float32(position), s0)
// linear loop, wide schedule, elements at a time: 4 by one access
typedef struct __align__(16) {
  float at[4];
} float32_x4;

extern "C" __global__ void __launch_bounds__(256) fused_cast_multiply_f32(
    float *__restrict__ z, long long position, float s0, long long n) {
  const unsigned int lane = threadIdx.x;
  const long long start = (long long)blockIdx.x * 2048;
  const unsigned int left = n - start < 2048 ? (unsigned int)(n - start) : 2048;
  z += start;
  position += start;
  if (left == 2048) {
    #pragma unroll
    for (unsigned int k = 0; k < 2; ++k) {
      const unsigned int i = (k * 256 + lane) * 4;
      float32_x4 z_out;
      #pragma unroll
      for (unsigned int j = 0; j < 4; ++j) {
        const long long position_i = position + i + j;
        const float cast_1 = (float)position_i;
        const float multiply_3 = cast_1 * s0;
        z_out.at[j] = multiply_3;
      }
      *(float32_x4 *)(z + i) = z_out;
    }
  } else {
    for (unsigned int i = lane; i < left; i += 256) {
      const long long position_i = position + i;
      const float cast_1 = (float)position_i;
      const float multiply_3 = cast_1 * s0;
      z[i] = multiply_3;
    }
  }
}
