// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, linear loop, narrow schedule
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

extern "C" __global__ void __launch_bounds__(1) sum_f32(
    const float *x, float *__restrict__ z, long long n, long long piece_length, long long tiles,
    long long group_tiles) {
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const float *x_row = x;
    float *z_row = z;
    float sum_0 = 0.0f;
    float sum_0_left_out = 0.0f;
    float sum_0_part[8];
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    const long long start = 0;
    const long long end = n - start < piece_length ? n : start + piece_length;
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
          const float x_i = x_row[(i + k)];
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
        const float x_i = x_row[i];
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
