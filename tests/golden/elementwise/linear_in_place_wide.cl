// fused_cast_add_less_f64, made by treadle's elementwise generator:
//   z0 = add(z0, float64(x1))
//   z1 = less(z0, float64(x1))
// linear loop, wide schedule, elements at a time: 8 by one access
#pragma OPENCL FP_CONTRACT OFF
typedef struct __attribute__((aligned(16))) { double at[8]; } float64_x8;
typedef struct __attribute__((aligned(8))) { uchar at[8]; } bool_x8;
typedef struct __attribute__((aligned(8))) { char at[8]; } int8_x8;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) fused_cast_add_less_f64(
    __global double *z0, long z0_offset, __global uchar *restrict z1, long z1_offset,
    const __global char *x1, long x1_offset, long n) {
  z0 += z0_offset;
  z1 += z1_offset;
  x1 += x1_offset;
  const uint lane = (uint)get_local_id(0);
  const long start = (long)(uint)get_group_id(0) * 4096;
  const uint left = n - start < 4096 ? (uint)(n - start) : 4096;
  z0 += start;
  z1 += start;
  x1 += start;
  if (left == 4096) {
#pragma unroll
    for (uint k = 0; k < 2; ++k) {
      const uint i = (k * 256 + lane) * 8;
      const float64_x8 z0_in = *(__global float64_x8 *)(z0 + i);
      float64_x8 z0_out;
      bool_x8 z1_out;
      const int8_x8 x1_in = *(const __global int8_x8 *)(x1 + i);
#pragma unroll
      for (uint j = 0; j < 8; ++j) {
        const double z0_i = z0_in.at[j];
        const char x1_i = x1_in.at[j];
        const double cast_2 = (double)x1_i;
        const double add_3 = z0_i + cast_2;
        const int less_4 = z0_i < cast_2;
        z0_out.at[j] = add_3;
        z1_out.at[j] = less_4;
      }
      *(__global float64_x8 *)(z0 + i) = z0_out;
      *(__global bool_x8 *)(z1 + i) = z1_out;
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
