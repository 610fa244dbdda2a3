// cast_sum_divide_f64, made by treadle's reduction generator:
//   sum_0 = sum of float64(x)
//   z = divide(sum_0, s0)
// rows, linear loop, wide schedule, work-items on a result: 32, results are shared by groups
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline double treadle_left_out_float64(double a, double b, double sum)
{
  double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline double treadle_settled_float64(double sum, double left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

typedef struct {
  double sum_0;
  double sum_0_left_out;
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
  double sum_0_left_out = 0.0;
  if (output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    const signed char *x_row = x + out_index0 * x_out_stride0;
    double sum_0_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0;
    }
    long long start = (long long)split * 128;
    while (start < n) {
      for (unsigned int turn = 0; turn < 4 && start < n; ++turn, start += (long long)splits * 128) {
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
            {
              const double addend = cast_2;
              const double total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
              sum_0 = total;
            }
          }
        }
      }
      #pragma unroll
      for (unsigned int k = 0; k < 4; ++k) {
        {
          const double addend = sum_0_part[k];
          const double total = sum_0 + addend;
          sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
          sum_0 = total;
        }
        sum_0_part[k] = 0.0;
      }
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const double sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    {
      const double addend = sum_0_other;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 8 + result].sum_0 = sum_0;
    partials[(long long)blockIdx.x * 8 + result].sum_0_left_out = sum_0_left_out;
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    ticket = atomicAdd(tickets + tile, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int count = ticket == splits - 1 ? splits : 0;
  sum_0 = 0.0;
  sum_0_left_out = 0.0;
  for (unsigned int other = lane; other < count; other += 32) {
    const long long at = ((long long)tile * splits + other) * 8 + result;
    {
      const double addend = partials[at].sum_0;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const double sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    {
      const double addend = sum_0_other;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    double *z_row = z + out_index0 * z_out_stride0;
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    const double divide_5 = sum_0 / s0;
    z_row[0] = divide_5;
  }
}
