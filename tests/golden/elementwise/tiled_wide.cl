// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// tiled loop, wide schedule, outer axes: 1
#pragma OPENCL FP_CONTRACT OFF
// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static inline uint divided(uint dividend, ulong divider) {
  return (mul_hi(dividend, (uint)divider) + dividend) >> (uint)(divider >> 32);
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long inner, long second,
    uint row_pieces, uint column_pieces, ulong row_divider, ulong column_divider, long z_stride0,
    long z_second, long x0_stride0, long x0_step, long x1_stride0, long x1_second) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  __local float x0_tile[32][33];
  const uint lane = (uint)get_local_id(0) % 32;
  const uint line = (uint)get_local_id(0) / 32;
  const uint column = divided((uint)get_group_id(0), row_divider);
  const uint outer = divided(column, column_divider);
  const long a0 = (long)((uint)get_group_id(0) - column * row_pieces) * 32;
  const long b0 = (long)(column - outer * column_pieces) * 32;
  const uint index0 = outer;
  z += index0 * z_stride0;
  x0 += index0 * x0_stride0;
  x1 += index0 * x1_stride0;
  #pragma unroll
  for (uint k = 0; k < 32; k += 8) {
    const long a = a0 + line + k;
    const long b = b0 + lane;
    if (a < inner && b < second) {
      x0_tile[line + k][lane] = x0[b + a * x0_step];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  #pragma unroll
  for (uint k = 0; k < 32; k += 8) {
    const long a = a0 + lane;
    const long b = b0 + line + k;
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
