// copy_v64, made by treadle's elementwise generator:
//   z = x
// linear loop, wide schedule, elements at a time: 2 by one access
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  uint words[2];
} record8_4;
typedef struct __attribute__((aligned(16))) {
  record8_4 at[2];
} record8_4_x2;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) copy_v64(
    __global record8_4 *restrict z, long z_offset, const __global record8_4 *x, long x_offset,
    long n) {
  z += z_offset;
  x += x_offset;
  const uint lane = (uint)get_local_id(0);
  const long start = (long)(uint)get_group_id(0) * 1024;
  const uint left = n - start < 1024 ? (uint)(n - start) : 1024;
  z += start;
  x += start;
  if (left == 1024) {
    #pragma unroll
    for (uint k = 0; k < 2; ++k) {
      const uint i = (k * 256 + lane) * 2;
      record8_4_x2 z_out;
      const record8_4_x2 x_in = *(const __global record8_4_x2 *)(x + i);
      #pragma unroll
      for (uint j = 0; j < 2; ++j) {
        const record8_4 x_i = x_in.at[j];
        z_out.at[j] = x_i;
      }
      *(__global record8_4_x2 *)(z + i) = z_out;
    }
  } else {
    for (uint i = lane; i < left; i += 256) {
      const record8_4 x_i = x[i];
      z[i] = x_i;
    }
  }
}
