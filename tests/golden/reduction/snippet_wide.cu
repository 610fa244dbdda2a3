// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// rows, linear loop, wide schedule, work-items on a result: 256, results are shared by groups
typedef float treadle_result;
static __device__ inline __attribute__((always_inline)) treadle_result treadle_neutral(void) {
  return (
  -1
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result treadle_reduce(
    treadle_result a, treadle_result b) {
  return (
  a > b ? a : b
  );
}
static __device__ inline __attribute__((always_inline)) treadle_result treadle_map(
    long long i, float treadle_x) {
  return (
  treadle_x * treadle_x
  );
}
typedef struct __align__(16) {
  float at[4];
} float32_x4;

typedef struct {
  treadle_result folded;
} partial;

extern "C" __global__ void __launch_bounds__(256) reduction(
    float *user_x, long long x0_offset, treadle_result *__restrict__ z, long long out_n,
    long long n, unsigned int splits, partial *partials, unsigned int *tickets) {
  const float *x0 = user_x + x0_offset;
  __shared__ treadle_result folded_shared[8];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 256;
  const unsigned int result = threadIdx.x / 256;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 1 + result;
  treadle_result folded = treadle_neutral();
  if (output < out_n) {
    const float *x0_row = x0;
    treadle_result folded_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      folded_part[k] = treadle_neutral();
    }
    long long start = (long long)split * 2048;
    while (start < n) {
      for (unsigned int turn = 0; turn < 8 && start < n; ++turn, start += (long long)splits * 2048) {
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
              const treadle_result value = treadle_map(0, x0_i);
              folded_part[j % 4] = treadle_reduce(folded_part[j % 4], value);
            }
          }
        } else {
          for (unsigned int i = lane; i < left; i += 256) {
            const float x0_i = x0_tile[i];
            const treadle_result value = treadle_map(0, x0_i);
            folded = treadle_reduce(folded, value);
          }
        }
      }
      #pragma unroll
      for (unsigned int k = 0; k < 4; ++k) {
        folded = treadle_reduce(folded, folded_part[k]);
        folded_part[k] = treadle_neutral();
      }
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const treadle_result folded_other = __shfl_down_sync(0xffffffffu, folded, step);
    folded = treadle_reduce(folded, folded_other);
  }
  if (lane % 32 == 0) {
    folded_shared[threadIdx.x / 32] = folded;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      folded = treadle_reduce(folded, folded_shared[threadIdx.x / 32 + other]);
    }
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 1 + result].folded = folded;
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    ticket = atomicAdd(tickets + tile, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int count = ticket == splits - 1 ? splits : 0;
  folded = treadle_neutral();
  for (unsigned int other = lane; other < count; other += 256) {
    const long long at = ((long long)tile * splits + other) * 1 + result;
    folded = treadle_reduce(folded, partials[at].folded);
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const treadle_result folded_other = __shfl_down_sync(0xffffffffu, folded, step);
    folded = treadle_reduce(folded, folded_other);
  }
  if (lane % 32 == 0) {
    folded_shared[threadIdx.x / 32] = folded;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      folded = treadle_reduce(folded, folded_shared[threadIdx.x / 32 + other]);
    }
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    treadle_result *z_row = z;
    z_row[0] = folded;
  }
}
