// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, rows loop, narrow schedule, results are shared by groups
typedef struct {
  float sum_0;
} partial;

extern "C" __global__ void __launch_bounds__(1) sum_f32(
    const float *x, float *__restrict__ z, long long x_out_stride0, long long z_out_stride0,
    long long inner, long long pieces, long long row_pieces, long long piece_length,
    long long group_pieces, long long x_stride0, unsigned int splits, partial *partials,
    unsigned int *tickets) {
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long out_index0 = tile;
  const float *x_row = x + out_index0 * x_out_stride0;
  float *z_row = z + out_index0 * z_out_stride0;
  float sum_0 = 0.0f;
  float sum_0_part[128];
  for (unsigned int k = 0; k < 128; ++k) {
    sum_0_part[k] = 0.0f;
  }
  long long piece = (long long)split * group_pieces;
  const long long last_piece = pieces - piece < group_pieces ? pieces : piece + group_pieces;
  for (; piece < last_piece; ++piece) {
    const long long row = piece / row_pieces;
    const long long start = (piece - row * row_pieces) * piece_length;
    const long long end = inner - start < piece_length ? inner : start + piece_length;
    const long long index0 = row;
    const float *x_tile = x_row + index0 * x_stride0;
    long long i = start;
    for (; i + 128 <= end; i += 128) {
      for (unsigned int k = 0; k < 128; ++k) {
        const float x_i = x_tile[(i + k)];
        sum_0_part[k] = sum_0_part[k] + x_i;
      }
    }
    for (; i < end; ++i) {
      const float x_i = x_tile[i];
      sum_0 = sum_0 + x_i;
    }
  }
  for (unsigned int k = 0; k < 128; ++k) {
    sum_0 = sum_0 + sum_0_part[k];
  }
  partials[blockIdx.x].sum_0 = sum_0;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    sum_0 = 0.0f;
    for (unsigned int other = 0; other < splits; ++other) {
      sum_0 = sum_0 + (partials[(long long)tile * splits + other].sum_0);
    }
    z_row[0] = sum_0;
  }
}
