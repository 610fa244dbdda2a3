// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, strided loop, wide schedule, work-items on a result: 256, results are shared by groups
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

// Exact for dividends below 2^31 (Granlund and Montgomery 1994).
static __device__ inline unsigned int divided(unsigned int dividend, unsigned long long divider) {
  return (__umulhi(dividend, (unsigned int)divider) + dividend) >> (unsigned int)(divider >> 32);
}

typedef struct {
  float sum_0;
  float sum_0_left_out;
} partial;

extern "C" __global__ void __launch_bounds__(256) sum_f32(
    const float *x, float *__restrict__ z, long long out_n, long long n, unsigned int extent1,
    unsigned long long divider1, long long x_stride0, long long x_stride1, unsigned int splits,
    partial *partials, unsigned int *tickets) {
  __shared__ float sum_0_shared[8];
  __shared__ float sum_0_left_out_shared[8];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 256;
  const unsigned int result = threadIdx.x / 256;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 1 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  if (output < out_n) {
    const float *x_row = x;
    float sum_0_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long long start = (long long)split * 1024;
    while (start < n) {
      for (unsigned int turn = 0; turn < 4 && start < n; ++turn, start += (long long)splits * 1024) {
        #pragma unroll
        for (unsigned int k = 0; k < 4; ++k) {
          const long long i = start + k * 256 + lane;
          if (i < n) {
            const unsigned int index0 = divided((unsigned int)i, divider1);
            const unsigned int index1 = (unsigned int)i - index0 * extent1;
            const float *x_tile = x_row + index0 * x_stride0 + index1 * x_stride1;
            const float x_i = x_tile[0];
            sum_0_part[k % 4] = sum_0_part[k % 4] + x_i;
          }
        }
      }
      #pragma unroll
      for (unsigned int k = 0; k < 4; ++k) {
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
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const float sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const float sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    {
      const float addend = sum_0_other;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
  }
  if (lane % 32 == 0) {
    sum_0_shared[threadIdx.x / 32] = sum_0;
    sum_0_left_out_shared[threadIdx.x / 32] = sum_0_left_out;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const float addend = sum_0_shared[threadIdx.x / 32 + other];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x / 32 + other]));
        sum_0 = total;
      }
    }
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 1 + result].sum_0 = sum_0;
    partials[(long long)blockIdx.x * 1 + result].sum_0_left_out = sum_0_left_out;
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
  for (unsigned int other = lane; other < count; other += 256) {
    const long long at = ((long long)tile * splits + other) * 1 + result;
    {
      const float addend = partials[at].sum_0;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const float sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const float sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    {
      const float addend = sum_0_other;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
  }
  if (lane % 32 == 0) {
    sum_0_shared[threadIdx.x / 32] = sum_0;
    sum_0_left_out_shared[threadIdx.x / 32] = sum_0_left_out;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const float addend = sum_0_shared[threadIdx.x / 32 + other];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x / 32 + other]));
        sum_0 = total;
      }
    }
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    float *z_row = z;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
