// sqrt_multiply_maximum_sum_maximum_sqrt_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(sqrt(x0), x1)
//   maximum_1 = maximum of maximum(sqrt(x0), x1)
//   z0 = sqrt(sum_0)
//   z1 = maximum_1
// rows, linear loop, narrow schedule
// NaN if either is.
static __device__ inline float treadle_maximum_float32(float a, float b)
{
  return a > b || isnan(a) ? a : b;
}

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

extern "C" __global__ void __launch_bounds__(1) sqrt_multiply_maximum_sum_maximum_sqrt_f32(
    const float *x0, const float *x1, float *__restrict__ z0, float *__restrict__ z1, long long n,
    long long piece_length, long long tiles, long long group_tiles) {
  const long long first = (long long)blockIdx.x * group_tiles;
  const long long last = tiles - first < group_tiles ? tiles : first + group_tiles;
  for (long long tile = first; tile < last; ++tile) {
    const float *x0_row = x0;
    const float *x1_row = x1;
    float *z0_row = z0;
    float *z1_row = z1;
    float sum_0 = 0.0f;
    float sum_0_left_out = 0.0f;
    float maximum_1 = -__int_as_float(0x7f800000);
    float sum_0_part[8];
    float maximum_1_part[8];
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
      maximum_1_part[k] = -__int_as_float(0x7f800000);
    }
    const long long start = 0;
    const long long end = n - start < piece_length ? n : start + piece_length;
    const float x0_i = x0_row[0];
    const float sqrt_3 = sqrt(x0_i);
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
          const float x1_i = x1_row[(i + k)];
          const float multiply_5 = sqrt_3 * x1_i;
          const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
          sum_0_part[k] = sum_0_part[k] + multiply_5;
          maximum_1_part[k] = treadle_maximum_float32(maximum_1_part[k], maximum_6);
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
        const float x1_i = x1_row[i];
        const float multiply_5 = sqrt_3 * x1_i;
        const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
        sum_0_block = sum_0_block + multiply_5;
        maximum_1 = treadle_maximum_float32(maximum_1, maximum_6);
      }
      {
        const float addend = sum_0_block;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
        sum_0 = total;
      }
    }
    for (unsigned int k = 0; k < 8; ++k) {
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_part[k]);
    }
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    const float sqrt_8 = sqrt(sum_0);
    z0_row[0] = sqrt_8;
    z1_row[0] = maximum_1;
  }
}
