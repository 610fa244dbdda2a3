// gather_f32, made by treadle's elementwise generator:
//   z = x1[x0]
// rows loop, wide schedule, outer axes: 1, elements at a time: 4 by one access
#pragma OPENCL FP_CONTRACT OFF
typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static inline uint divided(uint dividend, ulong divider) {
  return (mul_hi(dividend, (uint)divider) + dividend) >> (uint)(divider >> 32);
}

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) gather_f32(
    __global float *restrict z, long z_offset, const __global long *x0, long x0_offset,
    const __global float *x1, long x1_offset, long inner, long pieces, uint row_pieces,
    ulong row_divider, uint lanes_log2, long z_stride0, long x0_stride0, long x1_stride0) {
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
  x0 += index0 * x0_stride0;
  x1 += index0 * x1_stride0 + start;
  const long x0_i = x0[0];
  if (left == lanes * 4) {
    const uint i = lane * 4;
    float32_x4 z_out;
    #pragma unroll
    for (uint j = 0; j < 4; ++j) {
      const float gather_1 = x1[(i + j) + x0_i];
      z_out.at[j] = gather_1;
    }
    *(__global float32_x4 *)(z + i) = z_out;
  } else {
    for (uint i = lane; i < left; i += lanes) {
      const float gather_1 = x1[i + x0_i];
      z[i] = gather_1;
    }
  }
}
