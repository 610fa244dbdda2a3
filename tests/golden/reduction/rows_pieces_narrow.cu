// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, rows loop, narrow schedule, results are shared by groups
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline float treadle_left_out_float32(float a, float b, float sum)
{
  float of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline float treadle_settled_float32(float sum, float left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

typedef struct {
  float sum_0;
  float sum_0_left_out;
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
  float sum_0_left_out = 0.0f;
  float sum_0_part[8];
  for (unsigned int k = 0; k < 8; ++k) {
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
    long long length = end - i;
    while (length > 128) {
      length -= length / 16 * 8;
    }
    const long long block_length = (length + 7) / 8 * 8;
    while (i < end) {
      const long long block_end = end - i < block_length ? end : i + block_length;
      for (; i + 8 <= block_end; i += 8) {
        for (unsigned int k = 0; k < 8; ++k) {
          const float x_i = x_tile[(i + k)];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
      }
      float sum_0_block = (((((sum_0_part[0] + sum_0_part[1])) + ((sum_0_part[2] + sum_0_part[3])))) + ((((sum_0_part[4] + sum_0_part[5])) + ((sum_0_part[6] + sum_0_part[7])))));
      sum_0_part[0] = 0.0f;
      sum_0_part[1] = 0.0f;
      sum_0_part[2] = 0.0f;
      sum_0_part[3] = 0.0f;
      sum_0_part[4] = 0.0f;
      sum_0_part[5] = 0.0f;
      sum_0_part[6] = 0.0f;
      sum_0_part[7] = 0.0f;
      for (; i < block_end; ++i) {
        const float x_i = x_tile[i];
        sum_0_block = sum_0_block + x_i;
      }
      {
        const float addend = sum_0_block;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
        sum_0 = total;
      }
    }
  }
  partials[blockIdx.x].sum_0 = sum_0;
  partials[blockIdx.x].sum_0_left_out = sum_0_left_out;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  if (atomicAdd(tickets + tile, 1u) == splits - 1) {
    __threadfence();
    tickets[tile] = 0;
    sum_0 = 0.0f;
    sum_0_left_out = 0.0f;
    for (unsigned int other = 0; other < splits; ++other) {
      {
        const float addend = partials[(long long)tile * splits + other].sum_0;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + (partials[(long long)tile * splits + other].sum_0_left_out)));
        sum_0 = total;
      }
    }
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
