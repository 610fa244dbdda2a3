// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, rows loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sum_f32(
    const __global float *x, long x_offset, __global float *restrict z, long z_offset, long inner,
    long pieces, long row_pieces, long piece_length, long group_pieces, long x_stride0, long x_step,
    long tiles, long group_tiles) {
  x += x_offset;
  z += z_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const __global float *x_row = x;
    __global float *z_row = z;
    float sum_0 = 0.0f;
    float sum_0_part[8];
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long piece = 0;
    const long last_piece = pieces - piece < group_pieces ? pieces : piece + group_pieces;
    for (; piece < last_piece; ++piece) {
      const long row = piece / row_pieces;
      const long start = (piece - row * row_pieces) * piece_length;
      const long end = inner - start < piece_length ? inner : start + piece_length;
      const long index0 = row;
      const __global float *x_tile = x_row + index0 * x_stride0;
      long i = start;
      for (; i + 8 <= end; i += 8) {
        for (uint k = 0; k < 8; ++k) {
          const float x_i = x_tile[(i + k) * x_step];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
      }
      for (; i < end; ++i) {
        const float x_i = x_tile[i * x_step];
        sum_0 = sum_0 + x_i;
      }
    }
    for (uint k = 0; k < 8; ++k) {
      sum_0 = sum_0 + sum_0_part[k];
    }
    z_row[0] = sum_0;
  }
}
