// multiply_sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(x0, x1)
//   z = sum_0
// rows, linear loop, narrow schedule, results are shared by groups
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

extern "C" __global__ void __launch_bounds__(1) multiply_sum_f32(
    const float *x0, const float *x1, float *__restrict__ z, long long n, long long piece_length,
    unsigned int splits, partial *partials, unsigned int *tickets) {
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const float *x0_row = x0;
  const float *x1_row = x1;
  float *z_row = z;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  float sum_0_total[128];
  float sum_0_left_out_total[128];
  for (unsigned int k = 0; k < 128; ++k) {
    sum_0_total[k] = 0.0f;
    sum_0_left_out_total[k] = 0.0f;
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  for (; i + 2048 <= end; i += 2048) {
    for (unsigned int k = 0; k < 128; ++k) {
      float sum_0_runs = 0.0f;
      #pragma unroll
      for (unsigned int r = 0; r < 4; ++r) {
        float sum_0_run = 0.0f;
        #pragma unroll
        for (unsigned int t = 0; t < 4; ++t) {
          const float x0_i = x0_row[(i + (r * 4 + t) * 128 + k)];
          const float x1_i = x1_row[(i + (r * 4 + t) * 128 + k)];
          const float multiply_3 = x0_i * x1_i;
          sum_0_run = sum_0_run + multiply_3;
        }
        sum_0_runs = sum_0_runs + sum_0_run;
      }
      {
        const float addend = sum_0_runs;
        const float total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float32(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
    }
  }
  for (; i < end; i += 128) {
    const unsigned int left = end - i < 128 ? (unsigned int)(end - i) : 128;
    for (unsigned int k = 0; k < left; ++k) {
      const float x0_i = x0_row[(i + k)];
      const float x1_i = x1_row[(i + k)];
      const float multiply_3 = x0_i * x1_i;
      {
        const float addend = multiply_3;
        const float total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float32(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
    }
  }
  for (unsigned int k = 0; k < 128; ++k) {
    {
      const float addend = sum_0_total[k];
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_total[k]));
      sum_0 = total;
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
