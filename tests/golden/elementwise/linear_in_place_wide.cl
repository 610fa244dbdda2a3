// fused_cast_add_less_f64, made by treadle's elementwise generator:
//   z0 = add(z0, float64(x1))
//   z1 = less(z0, float64(x1))
// linear loop, wide schedule, elements at a time: 2 by one access
#pragma OPENCL FP_CONTRACT OFF
typedef struct __attribute__((aligned(16))) {
  double at[2];
} float64_x2;
typedef struct __attribute__((aligned(2))) {
  uchar at[2];
} bool_x2;
typedef struct __attribute__((aligned(2))) {
  char at[2];
} int8_x2;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_cast_add_less_f64(
    __global double *z0, long z0_offset, __global uchar *restrict z1, long z1_offset,
    const __global char *x1, long x1_offset, long n) {
  z0 += z0_offset;
  z1 += z1_offset;
  x1 += x1_offset;
  const uint lane = (uint)get_local_id(0);
  const long start = (long)(uint)get_group_id(0) * 2048;
  const uint left = n - start < 2048 ? (uint)(n - start) : 2048;
  z0 += start;
  z1 += start;
  x1 += start;
  if (left == 2048) {
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      const uint i = (k * 256 + lane) * 2;
      const float64_x2 z0_in = *(__global float64_x2 *)(z0 + i);
      float64_x2 z0_out;
      bool_x2 z1_out;
      const int8_x2 x1_in = *(const __global int8_x2 *)(x1 + i);
      #pragma unroll
      for (uint j = 0; j < 2; ++j) {
        const double z0_i = z0_in.at[j];
        const char x1_i = x1_in.at[j];
        const double cast_2 = (double)x1_i;
        const double add_3 = z0_i + cast_2;
        const int less_4 = z0_i < cast_2;
        z0_out.at[j] = add_3;
        z1_out.at[j] = less_4;
      }
      *(__global float64_x2 *)(z0 + i) = z0_out;
      *(__global bool_x2 *)(z1 + i) = z1_out;
    }
  } else {
    for (uint i = lane; i < left; i += 256) {
      const double z0_i = z0[i];
      const char x1_i = x1[i];
      const double cast_2 = (double)x1_i;
      const double add_3 = z0_i + cast_2;
      const int less_4 = z0_i < cast_2;
      z0[i] = add_3;
      z1[i] = less_4;
    }
  }
}
