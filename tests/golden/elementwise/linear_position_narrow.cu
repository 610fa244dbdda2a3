// fused_cast_multiply_f32, made by treadle's elementwise generator:
//   z = multiply(float32(position), s0)
// linear loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) fused_cast_multiply_f32(
    float *__restrict__ z, long long position, float s0, long long n, long long piece_length) {
  const long long start = (long long)blockIdx.x * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  for (long long i = start; i < end; ++i) {
    const long long position_i = position + i;
    const float cast_1 = (float)position_i;
    const float multiply_3 = cast_1 * s0;
    z[i] = multiply_3;
  }
}
