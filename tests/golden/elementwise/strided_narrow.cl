// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// rows loop, narrow schedule, outer axes: 1
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long inner, long pieces,
    long row_pieces, long piece_length, long group_pieces, long z_stride0, long x0_stride0,
    long x0_step, long x1_stride0) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  long piece = (long)(uint)get_group_id(0) * group_pieces;
  const long last = pieces - piece < group_pieces ? pieces : piece + group_pieces;
  for (; piece < last; ++piece) {
    const long row = piece / row_pieces;
    const long start = (piece - row * row_pieces) * piece_length;
    const long end = inner - start < piece_length ? inner : start + piece_length;
    const long index0 = row;
    __global float *z_row = z + index0 * z_stride0;
    const __global float *x0_row = x0 + index0 * x0_stride0;
    const __global float *x1_row = x1 + index0 * x1_stride0;
    const float x1_i = x1_row[0];
    const float multiply_5 = s1 * x1_i;
    for (long i = start; i < end; ++i) {
      const float x0_i = x0_row[i * x0_step];
      const float multiply_2 = s0 * x0_i;
      const float add_6 = multiply_2 + multiply_5;
      z_row[i] = add_6;
    }
  }
}
