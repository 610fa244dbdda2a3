// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// rows loop, narrow schedule, outer axes: 1
extern "C" __global__ void __launch_bounds__(1) fused_multiply_multiply_add_f32(
    float *__restrict__ z, const float *x0, const float *x1, float s0, float s1, long long inner,
    long long pieces, long long row_pieces, long long piece_length, long long group_pieces,
    long long z_stride0, long long x0_stride0, long long x0_step, long long x1_stride0) {
  long long piece = (long long)blockIdx.x * group_pieces;
  const long long last = pieces - piece < group_pieces ? pieces : piece + group_pieces;
  for (; piece < last; ++piece) {
    const long long row = piece / row_pieces;
    const long long start = (piece - row * row_pieces) * piece_length;
    const long long end = inner - start < piece_length ? inner : start + piece_length;
    const long long index0 = row;
    float *z_row = z + index0 * z_stride0;
    const float *x0_row = x0 + index0 * x0_stride0;
    const float *x1_row = x1 + index0 * x1_stride0;
    const float x1_i = x1_row[0];
    const float multiply_5 = s1 * x1_i;
    for (long long i = start; i < end; ++i) {
      const float x0_i = x0_row[i * x0_step];
      const float multiply_2 = s0 * x0_i;
      const float add_6 = multiply_2 + multiply_5;
      z_row[i] = add_6;
    }
  }
}
