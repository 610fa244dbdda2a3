// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// strided loop, wide schedule, outer axes: 1, elements at a time: 4
#pragma OPENCL FP_CONTRACT OFF
// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static inline uint divided(uint dividend, ulong divider) {
  return (mul_hi(dividend, (uint)divider) + dividend) >> (uint)(divider >> 32);
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long n, uint extent1,
    ulong divider1, long z_stride0, long z_stride1, long x0_stride0, long x0_stride1) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  const float x1_i = x1[0];
  const float multiply_5 = s1 * x1_i;
  #pragma unroll
  for (uint k = 0; k < 4; ++k) {
    const uint i = (uint)get_group_id(0) * 1024 + k * 256 + (uint)get_local_id(0);
    if (i < n) {
      const uint index0 = divided(i, divider1);
      const uint index1 = i - index0 * extent1;
      const long z_at = index0 * z_stride0 + index1 * z_stride1;
      const long x0_at = index0 * x0_stride0 + index1 * x0_stride1;
      const float x0_i = x0[x0_at];
      const float multiply_2 = s0 * x0_i;
      const float add_6 = multiply_2 + multiply_5;
      z[z_at] = add_6;
    }
  }
}
