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
    float maximum_1 = -__int_as_float(0x7f800000);
    float sum_0_part[128];
    float maximum_1_part[128];
    for (unsigned int k = 0; k < 128; ++k) {
      sum_0_part[k] = 0.0f;
      maximum_1_part[k] = -__int_as_float(0x7f800000);
    }
    const long long start = 0;
    const long long end = n - start < piece_length ? n : start + piece_length;
    const float x0_i = x0_row[0];
    const float sqrt_3 = sqrt(x0_i);
    long long i = start;
    for (; i + 128 <= end; i += 128) {
      for (unsigned int k = 0; k < 128; ++k) {
        const float x1_i = x1_row[(i + k)];
        const float multiply_5 = sqrt_3 * x1_i;
        const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
        sum_0_part[k] = sum_0_part[k] + multiply_5;
        maximum_1_part[k] = treadle_maximum_float32(maximum_1_part[k], maximum_6);
      }
    }
    for (; i < end; ++i) {
      const float x1_i = x1_row[i];
      const float multiply_5 = sqrt_3 * x1_i;
      const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
      sum_0 = sum_0 + multiply_5;
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_6);
    }
    for (unsigned int k = 0; k < 128; ++k) {
      sum_0 = sum_0 + sum_0_part[k];
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_part[k]);
    }
    const float sqrt_8 = sqrt(sum_0);
    z0_row[0] = sqrt_8;
    z1_row[0] = maximum_1;
  }
}
