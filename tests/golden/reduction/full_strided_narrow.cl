// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, rows loop, narrow schedule
#pragma OPENCL FP_CONTRACT OFF
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static inline float treadle_left_out_float32(float a, float b, float sum)
{
  float of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static inline float treadle_settled_float32(float sum, float left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sum_f32(
    const __global float *x, long x_offset, __global float *restrict z, long z_offset, long inner,
    long pieces, long row_pieces, long piece_length, long group_pieces, long x_stride0,
    long x_step, long tiles, long group_tiles) {
  x += x_offset;
  z += z_offset;
  const long first = (long)(uint)get_group_id(0) * group_tiles;
  const long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long tile = first; tile < last; ++tile) {
    const __global float *x_row = x;
    __global float *z_row = z;
    float sum_0 = 0.0f;
    float sum_0_left_out = 0.0f;
    float sum_0_part[8];
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long piece = 0;
    const long last_piece = pieces - piece < group_pieces ? pieces : piece + group_pieces;
    for (; piece < last_piece; ++piece) {
      const long row = piece / row_pieces;
      const long start = (piece - row * row_pieces) * piece_length;
      const long end = inner - start < piece_length ? inner : start + piece_length;
      const long index0 = row;
      const __global float *x_tile = x_row + index0 * x_stride0;
      long i = start;
      const long block_end = end;
      for (; i + 8 <= block_end; i += 8) {
        for (uint k = 0; k < 8; ++k) {
          const float x_i = x_tile[(i + k) * x_step];
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
        const float x_i = x_tile[i * x_step];
        sum_0_block = sum_0_block + x_i;
      }
      {
        const float addend = sum_0_block;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
        sum_0 = total;
      }
    }
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
