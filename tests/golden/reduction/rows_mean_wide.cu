// cast_sum_divide_f64, made by treadle's reduction generator:
//   sum_0 = sum of float64(x)
//   z = divide(sum_0, s0)
// rows, linear loop, wide schedule, work-items on a result: 32, results are shared by groups
typedef struct {
  double sum_0;
} partial;

extern "C" __global__ void __launch_bounds__(256) cast_sum_divide_f64(
    const signed char *x, double *__restrict__ z, double s0, long long out_n,
    long long x_out_stride0, long long z_out_stride0, long long n, unsigned int splits,
    partial *partials, unsigned int *tickets) {
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 32;
  const unsigned int result = threadIdx.x / 32;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 8 + result;
  double sum_0 = 0.0;
  if (output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    const signed char *x_row = x + out_index0 * x_out_stride0;
    double sum_0_part[4];
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0;
    }
    for (long long start = (long long)split * 128; start < n; start += (long long)splits * 128) {
      const unsigned int left = n - start < 128 ? (unsigned int)(n - start) : 128;
      const signed char *x_tile = x_row + start;
      if (left == 128) {
#pragma unroll
        for (unsigned int k = 0; k < 4; ++k) {
          const unsigned int i = k * 32 + lane;
          const signed char x_i = x_tile[i];
          const double cast_2 = (double)x_i;
          sum_0_part[k % 4] = sum_0_part[k % 4] + cast_2;
        }
      } else {
        for (unsigned int i = lane; i < left; i += 32) {
          const signed char x_i = x_tile[i];
          const double cast_2 = (double)x_i;
          sum_0 = sum_0 + cast_2;
        }
      }
    }
#pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0 = sum_0 + sum_0_part[k];
    }
  }
#pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    sum_0 = sum_0 + sum_0_other;
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 8 + result].sum_0 = sum_0;
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) ticket = atomicAdd(tickets + tile, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int count = ticket == splits - 1 ? splits : 0;
  sum_0 = 0.0;
  for (unsigned int other = lane; other < count; other += 32) {
    const long long at = ((long long)tile * splits + other) * 8 + result;
    sum_0 = sum_0 + (partials[at].sum_0);
  }
#pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    sum_0 = sum_0 + sum_0_other;
  }
  if (count > 0 && threadIdx.x == 0) tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    double *z_row = z + out_index0 * z_out_stride0;
    const double divide_5 = sum_0 / s0;
    z_row[0] = divide_5;
  }
}
