// any_b8, made by treadle's reduction generator:
//   any_0 = any of x
//   z = any_0
// rows, linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) any_b8(
    const __global uchar *x, long x_offset, __global uchar *restrict z, long z_offset,
    long x_out_stride0, long z_out_stride0, long n, long piece_length, long tiles,
    long group_tiles) {
  x += x_offset;
  z += z_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const long out_index0 = tile;
    const __global uchar *x_row = x + out_index0 * x_out_stride0;
    __global uchar *z_row = z + out_index0 * z_out_stride0;
    int any_0 = 0;
    int any_0_part[8];
    for (uint k = 0; k < 8; ++k) {
      any_0_part[k] = 0;
    }
    const long start = 0;
    const long end = n - start < piece_length ? n : start + piece_length;
    long i = start;
    for (; i + 8 <= end; i += 8) {
      for (uint k = 0; k < 8; ++k) {
        const int x_i = x_row[(i + k)] != 0;
        any_0_part[k] = any_0_part[k] | x_i;
      }
    }
    for (; i < end; ++i) {
      const int x_i = x_row[i] != 0;
      any_0 = any_0 | x_i;
    }
    for (uint k = 0; k < 8; ++k) {
      any_0 = any_0 | any_0_part[k];
    }
    z_row[0] = any_0;
  }
}
