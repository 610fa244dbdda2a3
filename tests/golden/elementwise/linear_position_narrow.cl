// fused_cast_multiply_f32, made by treadle's elementwise generator:
//   z = multiply(float32(position), s0)
// linear loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) fused_cast_multiply_f32(
    __global float *restrict z, long z_offset, long position, float s0, long n, long piece_length) {
  z += z_offset;
  const long start = (long)(uint)get_group_id(0) * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  for (long i = start; i < end; ++i) {
    const long position_i = position + i;
    const float cast_1 = (float)position_i;
    const float multiply_3 = cast_1 * s0;
    z[i] = multiply_3;
  }
}
