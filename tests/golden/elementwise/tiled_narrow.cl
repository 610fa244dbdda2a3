// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// tiled loop, narrow schedule, outer axes: 1
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long inner, long second,
    long row_pieces, long column_pieces, long pieces, long group_pieces, long z_stride0,
    long z_second, long x0_stride0, long x0_step, long x1_stride0, long x1_second) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  long tile = (long)(uint)get_group_id(0) * group_pieces;
  const long last = pieces - tile < group_pieces ? pieces : tile + group_pieces;
  for (; tile < last; ++tile) {
    const long column = tile / row_pieces;
    const long outer = column / column_pieces;
    const long a0 = (tile - column * row_pieces) * 32;
    const long b0 = (column - outer * column_pieces) * 32;
    const long a1 = inner - a0 < 32 ? inner : a0 + 32;
    const long b1 = second - b0 < 32 ? second : b0 + 32;
    const long index0 = outer;
    __global float *z_row = z + index0 * z_stride0;
    const __global float *x0_row = x0 + index0 * x0_stride0;
    const __global float *x1_row = x1 + index0 * x1_stride0;
    for (long b = b0; b < b1; ++b) {
      for (long a = a0; a < a1; ++a) {
        const float x0_i = x0_row[b + a * x0_step];
        const float multiply_2 = s0 * x0_i;
        const float x1_i = x1_row[b * x1_second];
        const float multiply_5 = s1 * x1_i;
        const float add_6 = multiply_2 + multiply_5;
        z_row[b * z_second + a] = add_6;
      }
    }
  }
}
