// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// columns, linear loop, wide schedule, work-items on a result: 4, results are shared by groups
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

extern "C" __global__ void __launch_bounds__(256) sum_f32(
    const float *x, float *__restrict__ z, long long out_n, long long x_out_stride0,
    long long z_out_stride0, long long n, long long x_step, unsigned int splits, partial *partials,
    unsigned int *tickets) {
  __shared__ float sum_0_shared[256];
  __shared__ float sum_0_left_out_shared[256];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x / 64;
  const unsigned int result = threadIdx.x % 64;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 64 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  if (output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    const float *x_row = x + out_index0 * x_out_stride0;
    float sum_0_part[8];
    #pragma unroll
    for (unsigned int k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long long start = (long long)split * 32;
    while (start < n) {
      for (unsigned int turn = 0; turn < 4 && start < n; ++turn, start += (long long)splits * 32) {
        const unsigned int left = n - start < 32 ? (unsigned int)(n - start) : 32;
        const float *x_tile = x_row + start * x_step;
        if (left == 32) {
          #pragma unroll
          for (unsigned int k = 0; k < 8; ++k) {
            const unsigned int i = k * 4 + lane;
            const float x_i = x_tile[i * x_step];
            sum_0_part[k % 8] = sum_0_part[k % 8] + x_i;
          }
        } else {
          for (unsigned int i = lane; i < left; i += 4) {
            const float x_i = x_tile[i * x_step];
            {
              const float addend = x_i;
              const float total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
              sum_0 = total;
            }
          }
        }
      }
      #pragma unroll
      for (unsigned int k = 0; k < 8; ++k) {
        {
          const float addend = sum_0_part[k];
          const float total = sum_0 + addend;
          sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
          sum_0 = total;
        }
        sum_0_part[k] = 0.0f;
      }
    }
  }
  sum_0_shared[threadIdx.x] = sum_0;
  sum_0_left_out_shared[threadIdx.x] = sum_0_left_out;
  __syncthreads();
  for (unsigned int step = 2; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[threadIdx.x + step * 64];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x + step * 64]));
        sum_0 = total;
      }
      sum_0_shared[threadIdx.x] = sum_0;
      sum_0_left_out_shared[threadIdx.x] = sum_0_left_out;
    }
    __syncthreads();
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 64 + result].sum_0 = sum_0;
    partials[(long long)blockIdx.x * 64 + result].sum_0_left_out = sum_0_left_out;
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    ticket = atomicAdd(tickets + tile, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int count = ticket == splits - 1 ? splits : 0;
  sum_0 = 0.0f;
  sum_0_left_out = 0.0f;
  for (unsigned int other = lane; other < count; other += 4) {
    const long long at = ((long long)tile * splits + other) * 64 + result;
    {
      const float addend = partials[at].sum_0;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
  }
  sum_0_shared[threadIdx.x] = sum_0;
  sum_0_left_out_shared[threadIdx.x] = sum_0_left_out;
  __syncthreads();
  for (unsigned int step = 2; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[threadIdx.x + step * 64];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x + step * 64]));
        sum_0 = total;
      }
      sum_0_shared[threadIdx.x] = sum_0;
      sum_0_left_out_shared[threadIdx.x] = sum_0_left_out;
    }
    __syncthreads();
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    float *z_row = z + out_index0 * z_out_stride0;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
