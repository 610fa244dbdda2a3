// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) fused_multiply_multiply_add_f32(
    __global float *restrict z, long z_offset, const __global float *x0, long x0_offset,
    const __global float *x1, long x1_offset, float s0, float s1, long n, long piece_length) {
  z += z_offset;
  x0 += x0_offset;
  x1 += x1_offset;
  const long start = (long)(uint)get_group_id(0) * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  for (long i = start; i < end; ++i) {
    const float x0_i = x0[i];
    const float multiply_2 = s0 * x0_i;
    const float x1_i = x1[i];
    const float multiply_5 = s1 * x1_i;
    const float add_6 = multiply_2 + multiply_5;
    z[i] = add_6;
  }
}
