// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// linear loop, wide schedule, elements at a time: 4
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long n) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  const uint lane = (uint)get_local_id(0);
  const long start = (long)(uint)get_group_id(0) * 1024;
  const uint left = n - start < 1024 ? (uint)(n - start) : 1024;
  z += start;
  x0 += start;
  x1 += start;
  if (left == 1024) {
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      const uint i = k * 256 + lane;
      const float x0_i = x0[i];
      const float multiply_2 = s0 * x0_i;
      const float x1_i = x1[i];
      const float multiply_5 = s1 * x1_i;
      const float add_6 = multiply_2 + multiply_5;
      z[i] = add_6;
    }
  } else {
    for (uint i = lane; i < left; i += 256) {
      const float x0_i = x0[i];
      const float multiply_2 = s0 * x0_i;
      const float x1_i = x1[i];
      const float multiply_5 = s1 * x1_i;
      const float add_6 = multiply_2 + multiply_5;
      z[i] = add_6;
    }
  }
}
