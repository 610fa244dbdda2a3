// scatter_f32, made by treadle's elementwise generator:
//   z[x0] = x1
// rows loop, narrow schedule, outer axes: 1
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) scatter_f32(
    __global float *restrict z, long z_offset, const __global long *x0, long x0_offset,
    const __global float *x1, long x1_offset, long inner, long pieces, long row_pieces,
    long piece_length, long group_pieces, long z_stride0, long x0_stride0, long x1_stride0) {
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
    const __global long *x0_row = x0 + index0 * x0_stride0;
    const __global float *x1_row = x1 + index0 * x1_stride0;
    for (long i = start; i < end; ++i) {
      const long x0_i = x0_row[i];
      const float x1_i = x1_row[i];
      if (x0_i >= 0)
        z_row[i + x0_i] = x1_i;
    }
  }
}
