// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// rows loop, wide schedule, outer axes: 1, elements at a time: 4 by one access
#pragma OPENCL FP_CONTRACT OFF
typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static inline uint divided(uint dividend, ulong divider) {
  return (mul_hi(dividend, (uint)divider) + dividend) >> (uint)(divider >> 32);
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long inner, long pieces,
    uint row_pieces, ulong row_divider, uint lanes_log2, long z_stride0, long x0_stride0,
    long x1_stride0) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  // Short rows share a group: 1 << lanes_log2 work-items take a piece of a row.
  const uint lanes = 1u << lanes_log2;
  const uint lane = (uint)get_local_id(0) & (lanes - 1);
  const uint groups_row = (uint)get_local_id(0) >> lanes_log2;
  const long any_piece = (long)(uint)get_group_id(0) * (256 >> lanes_log2) + groups_row;
  if (any_piece >= pieces)
    return;
  const uint piece = (uint)any_piece;
  const uint row = divided(piece, row_divider);
  const long start = (long)(piece - row * row_pieces) * (lanes * 4);
  const uint left = inner - start < lanes * 4 ? (uint)(inner - start) : lanes * 4;
  const uint index0 = row;
  z += index0 * z_stride0 + start;
  x0 += index0 * x0_stride0 + start;
  x1 += index0 * x1_stride0;
  const float x1_i = x1[0];
  const float multiply_5 = s1 * x1_i;
  if (left == lanes * 4) {
    const uint i = lane * 4;
    float32_x4 z_out;
    const float32_x4 x0_in = *(const __global float32_x4 *)(x0 + i);
    #pragma unroll
    for (uint j = 0; j < 4; ++j) {
      const float x0_i = x0_in.at[j];
      const float multiply_2 = s0 * x0_i;
      const float add_6 = multiply_2 + multiply_5;
      z_out.at[j] = add_6;
    }
    *(__global float32_x4 *)(z + i) = z_out;
  } else {
    for (uint i = lane; i < left; i += lanes) {
      const float x0_i = x0[i];
      const float multiply_2 = s0 * x0_i;
      const float add_6 = multiply_2 + multiply_5;
      z[i] = add_6;
    }
  }
}
