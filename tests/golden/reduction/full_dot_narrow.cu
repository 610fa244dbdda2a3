// multiply_sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(x0, x1)
//   z = sum_0
// rows, linear loop, narrow schedule, results are shared by groups
typedef struct {
  float sum_0;
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
  float sum_0_part[128];
  for (unsigned int k = 0; k < 128; ++k) {
    sum_0_part[k] = 0.0f;
  }
  const long long start = (long long)split * piece_length;
  const long long end = n - start < piece_length ? n : start + piece_length;
  long long i = start;
  for (; i + 128 <= end; i += 128) {
    for (unsigned int k = 0; k < 128; ++k) {
      const float x0_i = x0_row[(i + k)];
      const float x1_i = x1_row[(i + k)];
      const float multiply_3 = x0_i * x1_i;
      sum_0_part[k] = sum_0_part[k] + multiply_3;
    }
  }
  for (; i < end; ++i) {
    const float x0_i = x0_row[i];
    const float x1_i = x1_row[i];
    const float multiply_3 = x0_i * x1_i;
    sum_0 = sum_0 + multiply_3;
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
