// fused_cast_multiply_f32, made by treadle's elementwise generator:
//   z = multiply(float32(position), s0)
// linear loop, wide schedule, elements at a time: 4 by one access
#pragma OPENCL FP_CONTRACT OFF
typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_cast_multiply_f32(
    __global float *restrict z, long z_offset, long position, float s0, long n) {
  z += z_offset;
  const uint lane = (uint)get_local_id(0);
  const long start = (long)(uint)get_group_id(0) * 2048;
  const uint left = n - start < 2048 ? (uint)(n - start) : 2048;
  z += start;
  position += start;
  if (left == 2048) {
    #pragma unroll
    for (uint k = 0; k < 2; ++k) {
      const uint i = (k * 256 + lane) * 4;
      float32_x4 z_out;
      #pragma unroll
      for (uint j = 0; j < 4; ++j) {
        const long position_i = position + i + j;
        const float cast_1 = (float)position_i;
        const float multiply_3 = cast_1 * s0;
        z_out.at[j] = multiply_3;
      }
      *(__global float32_x4 *)(z + i) = z_out;
    }
  } else {
    for (uint i = lane; i < left; i += 256) {
      const long position_i = position + i;
      const float cast_1 = (float)position_i;
      const float multiply_3 = cast_1 * s0;
      z[i] = multiply_3;
    }
  }
}
