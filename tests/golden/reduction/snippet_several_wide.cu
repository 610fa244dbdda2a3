// reduction, made by treadle's reduction generator around a user's text:
//   sum_0 of x[i]
//   folded_1 of x[i] > 0
//   folded_2 of x[i]
// rows, linear loop, wide schedule, work-items on a result: 256, results are shared by groups
typedef double treadle_result_0;
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_neutral_0(void) {
  return (
  0
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_reduce_0(
    treadle_result_0 a, treadle_result_0 b) {
  return (
  a + b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_0 treadle_map_0(
    long long i, float treadle_x) {
  return (
  treadle_x
  );
}
typedef long long treadle_result_1;
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_neutral_1(void) {
  return (
  0
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_reduce_1(
    treadle_result_1 a, treadle_result_1 b) {
  return (
  a + b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_1 treadle_map_1(
    long long i, float treadle_x) {
  return (
  treadle_x > 0
  );
}
typedef float treadle_result_2;
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_neutral_2(void) {
  return (
  -1e30f
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_reduce_2(
    treadle_result_2 a, treadle_result_2 b) {
  return (
  a > b ? a : b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result_2 treadle_map_2(
    long long i, float treadle_x) {
  return (
  treadle_x
  );
}
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

typedef struct __align__(16) {
  float at[4];
} float32_x4;

typedef struct {
  double sum_0;
  double sum_0_left_out;
  treadle_result_1 folded_1;
  treadle_result_2 folded_2;
} partial;

extern "C" __global__ void __launch_bounds__(256) reduction(
    float *user_x, long long x0_offset, treadle_result_0 *__restrict__ z_0,
    treadle_result_1 *__restrict__ z_1, treadle_result_2 *__restrict__ z_2, long long out_n,
    long long n, unsigned int splits, partial *partials, unsigned int *tickets) {
  const float *x0 = user_x + x0_offset;
  __shared__ double sum_0_shared[8];
  __shared__ double sum_0_left_out_shared[8];
  __shared__ treadle_result_1 folded_1_shared[8];
  __shared__ treadle_result_2 folded_2_shared[8];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 256;
  const unsigned int result = threadIdx.x / 256;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 1 + result;
  double sum_0 = 0.0;
  double sum_0_left_out = 0.0;
  treadle_result_1 folded_1 = treadle_neutral_1();
  treadle_result_2 folded_2 = treadle_neutral_2();
  if (output < out_n) {
    const float *x0_row = x0;
    double sum_0_part[4];
    treadle_result_1 folded_1_part[4];
    treadle_result_2 folded_2_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0;
      folded_1_part[k] = treadle_neutral_1();
      folded_2_part[k] = treadle_neutral_2();
    }
    long long start = (long long)split * 2048;
    while (start < n) {
      for (unsigned int turn = 0; turn < 2 && start < n; ++turn, start += (long long)splits * 2048) {
        const unsigned int left = n - start < 2048 ? (unsigned int)(n - start) : 2048;
        const float *x0_tile = x0_row + start;
        if (left == 2048) {
          #pragma unroll
          for (unsigned int k = 0; k < 2; ++k) {
            const unsigned int i = (k * 256 + lane) * 4;
            const float32_x4 x0_in = *(const float32_x4 *)(x0_tile + i);
            #pragma unroll
            for (unsigned int j = 0; j < 4; ++j) {
              const float x0_i = x0_in.at[j];
              const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
              const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
              const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
              sum_0_part[j % 4] = sum_0_part[j % 4] + value_0;
              folded_1_part[j % 4] = treadle_reduce_1(folded_1_part[j % 4], value_1);
              folded_2_part[j % 4] = treadle_reduce_2(folded_2_part[j % 4], value_2);
            }
          }
        } else {
          for (unsigned int i = lane; i < left; i += 256) {
            const float x0_i = x0_tile[i];
            const treadle_result_0 value_0 = treadle_map_0(0, x0_i);
            const treadle_result_1 value_1 = treadle_map_1(0, x0_i);
            const treadle_result_2 value_2 = treadle_map_2(0, x0_i);
            {
              const double addend = value_0;
              const double total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float64(sum_0, addend, total);
              sum_0 = total;
            }
            folded_1 = treadle_reduce_1(folded_1, value_1);
            folded_2 = treadle_reduce_2(folded_2, value_2);
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
        folded_2 = treadle_reduce_2(folded_2, folded_2_part[k]);
        folded_2_part[k] = treadle_neutral_2();
      }
    }
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      folded_1 = treadle_reduce_1(folded_1, folded_1_part[k]);
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const double sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    const treadle_result_1 folded_1_other = __shfl_down_sync(0xffffffffu, folded_1, step);
    const treadle_result_2 folded_2_other = __shfl_down_sync(0xffffffffu, folded_2, step);
    {
      const double addend = sum_0_other;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
    folded_1 = treadle_reduce_1(folded_1, folded_1_other);
    folded_2 = treadle_reduce_2(folded_2, folded_2_other);
  }
  if (lane % 32 == 0) {
    sum_0_shared[threadIdx.x / 32] = sum_0;
    sum_0_left_out_shared[threadIdx.x / 32] = sum_0_left_out;
    folded_1_shared[threadIdx.x / 32] = folded_1;
    folded_2_shared[threadIdx.x / 32] = folded_2;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const double addend = sum_0_shared[threadIdx.x / 32 + other];
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x / 32 + other]));
        sum_0 = total;
      }
      folded_1 = treadle_reduce_1(folded_1, folded_1_shared[threadIdx.x / 32 + other]);
      folded_2 = treadle_reduce_2(folded_2, folded_2_shared[threadIdx.x / 32 + other]);
    }
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 1 + result].sum_0 = sum_0;
    partials[(long long)blockIdx.x * 1 + result].sum_0_left_out = sum_0_left_out;
    partials[(long long)blockIdx.x * 1 + result].folded_1 = folded_1;
    partials[(long long)blockIdx.x * 1 + result].folded_2 = folded_2;
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
  folded_1 = treadle_neutral_1();
  folded_2 = treadle_neutral_2();
  for (unsigned int other = lane; other < count; other += 256) {
    const long long at = ((long long)tile * splits + other) * 1 + result;
    {
      const double addend = partials[at].sum_0;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
    folded_1 = treadle_reduce_1(folded_1, partials[at].folded_1);
    folded_2 = treadle_reduce_2(folded_2, partials[at].folded_2);
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const double sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    const treadle_result_1 folded_1_other = __shfl_down_sync(0xffffffffu, folded_1, step);
    const treadle_result_2 folded_2_other = __shfl_down_sync(0xffffffffu, folded_2, step);
    {
      const double addend = sum_0_other;
      const double total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
    folded_1 = treadle_reduce_1(folded_1, folded_1_other);
    folded_2 = treadle_reduce_2(folded_2, folded_2_other);
  }
  if (lane % 32 == 0) {
    sum_0_shared[threadIdx.x / 32] = sum_0;
    sum_0_left_out_shared[threadIdx.x / 32] = sum_0_left_out;
    folded_1_shared[threadIdx.x / 32] = folded_1;
    folded_2_shared[threadIdx.x / 32] = folded_2;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const double addend = sum_0_shared[threadIdx.x / 32 + other];
        const double total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float64(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x / 32 + other]));
        sum_0 = total;
      }
      folded_1 = treadle_reduce_1(folded_1, folded_1_shared[threadIdx.x / 32 + other]);
      folded_2 = treadle_reduce_2(folded_2, folded_2_shared[threadIdx.x / 32 + other]);
    }
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    treadle_result_0 *z_0_row = z_0;
    treadle_result_1 *z_1_row = z_1;
    treadle_result_2 *z_2_row = z_2;
    sum_0 = treadle_settled_float64(sum_0, sum_0_left_out);
    z_0_row[0] = sum_0;
    z_1_row[0] = folded_1;
    z_2_row[0] = folded_2;
  }
}
