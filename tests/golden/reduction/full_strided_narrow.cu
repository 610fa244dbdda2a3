// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, rows loop, narrow schedule
extern "C" __global__ void __launch_bounds__(1) sum_f32(
    const float *x, float *__restrict__ z, long long inner, long long pieces, long long row_pieces,
    long long piece_length, long long group_pieces, long long x_stride0, long long x_step,
    long long tiles, long long group_tiles) {
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const float *x_row = x;
    float *z_row = z;
    float sum_0 = 0.0f;
    float sum_0_part[8];
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long long piece = 0;
    const long long last_piece = pieces - piece < group_pieces ? pieces : piece + group_pieces;
    for (; piece < last_piece; ++piece) {
      const long long row = piece / row_pieces;
      const long long start = (piece - row * row_pieces) * piece_length;
      const long long end = inner - start < piece_length ? inner : start + piece_length;
      const long long index0 = row;
      const float *x_tile = x_row + index0 * x_stride0;
      long long i = start;
      for (; i + 8 <= end; i += 8) {
        for (unsigned int k = 0; k < 8; ++k) {
          const float x_i = x_tile[(i + k) * x_step];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
      }
      for (; i < end; ++i) {
        const float x_i = x_tile[i * x_step];
        sum_0 = sum_0 + x_i;
      }
    }
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0 = sum_0 + sum_0_part[k];
    }
    z_row[0] = sum_0;
  }
}
