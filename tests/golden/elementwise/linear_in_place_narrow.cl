// fused_cast_add_less_f64, made by treadle's elementwise generator:
//   z0 = add(z0, float64(x1))
//   z1 = less(z0, float64(x1))
// linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) fused_cast_add_less_f64(
    __global double *z0, long z0_offset, __global uchar *restrict z1, long z1_offset,
    const __global char *x1, long x1_offset, long n, long piece_length) {
  z0 += z0_offset;
  z1 += z1_offset;
  x1 += x1_offset;
  const long start = (long)(uint)get_group_id(0) * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  for (long i = start; i < end; ++i) {
    const double z0_i = z0[i];
    const char x1_i = x1[i];
    const double cast_2 = (double)x1_i;
    const double add_3 = z0_i + cast_2;
    const int less_4 = z0_i < cast_2;
    z0[i] = add_3;
    z1[i] = less_4;
  }
}
