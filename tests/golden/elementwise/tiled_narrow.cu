// fused_multiply_multiply_add_f32, made by treadle's elementwise generator:
//   z = add(multiply(s0, x0), multiply(s1, x1))
// tiled loop, narrow schedule, outer axes: 1
extern "C" __global__ void __launch_bounds__(1) fused_multiply_multiply_add_f32(
    float *__restrict__ z, const float *x0, const float *x1, float s0, float s1, long long inner,
    long long second, long long row_pieces, long long column_pieces, long long pieces,
    long long group_pieces, long long z_stride0, long long z_second, long long x0_stride0,
    long long x0_step, long long x1_stride0, long long x1_second) {
  long long tile = (long long)blockIdx.x * group_pieces;
  const long long last = pieces - tile < group_pieces ? pieces : tile + group_pieces;
  for (; tile < last; ++tile) {
    const long long column = tile / row_pieces;
    const long long outer = column / column_pieces;
    const long long a0 = (tile - column * row_pieces) * 32;
    const long long b0 = (column - outer * column_pieces) * 32;
    const long long a1 = inner - a0 < 32 ? inner : a0 + 32;
    const long long b1 = second - b0 < 32 ? second : b0 + 32;
    const long long index0 = outer;
    float *z_row = z + index0 * z_stride0;
    const float *x0_row = x0 + index0 * x0_stride0;
    const float *x1_row = x1 + index0 * x1_stride0;
    for (long long b = b0; b < b1; ++b) {
      for (long long a = a0; a < a1; ++a) {
        const float x0_i = x0_row[b + a * x0_step];
        const float multiply_2 = s0 * x0_i;
        const float x1_i = x1_row[b * x1_second];
        const float multiply_5 = s1 * x1_i;
        const float add_6 = multiply_2 + multiply_5;
        z_row[b * z_second + a] = add_6;
      }
    }
  }
}
