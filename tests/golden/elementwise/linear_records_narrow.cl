// copy_v64, made by treadle's elementwise generator:
//   z = x
// linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  uint words[2];
} record8_4;
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) copy_v64(
    __global record8_4 *restrict z, long z_offset, const __global record8_4 *x, long x_offset,
    long n, long piece_length) {
  z += z_offset;
  x += x_offset;
  const long start = (long)(uint)get_group_id(0) * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  for (long i = start; i < end; ++i) {
    const record8_4 x_i = x[i];
    z[i] = x_i;
  }
}
