// scatter_f32, made by treadle's elementwise generator:
//   z[x0] = x1
// rows loop, narrow schedule, outer axes: 1
extern "C" __global__ void __launch_bounds__(1) scatter_f32(
    float *__restrict__ z, const long long *x0, const float *x1, long long inner, long long pieces,
    long long row_pieces, long long piece_length, long long group_pieces, long long z_stride0,
    long long x0_stride0, long long x1_stride0) {
  long long piece = (long long)blockIdx.x * group_pieces;
  const long long last = pieces - piece < group_pieces ? pieces : piece + group_pieces;
  for (; piece < last; ++piece) {
    const long long row = piece / row_pieces;
    const long long start = (piece - row * row_pieces) * piece_length;
    const long long end = inner - start < piece_length ? inner : start + piece_length;
    const long long index0 = row;
    float *z_row = z + index0 * z_stride0;
    const long long *x0_row = x0 + index0 * x0_stride0;
    const float *x1_row = x1 + index0 * x1_stride0;
    for (long long i = start; i < end; ++i) {
      const long long x0_i = x0_row[i];
      const float x1_i = x1_row[i];
      if (x0_i >= 0)
        z_row[i + x0_i] = x1_i;
    }
  }
}
