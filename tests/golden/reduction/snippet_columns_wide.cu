// reduction, made by treadle's reduction generator around a user's text:
//   folded of x[i] * x[i]
// columns, linear loop, wide schedule, work-items on a result: 4, results are shared by groups
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
typedef struct {
  treadle_result folded;
} partial;

extern "C" __global__ void __launch_bounds__(256) reduction(
    float *user_x, long long x0_offset, treadle_result *__restrict__ z, long long out_n,
    long long x0_out_stride0, long long z_out_stride0, long long n, long long x0_step,
    unsigned int splits, partial *partials, unsigned int *tickets) {
  const float *x0 = user_x + x0_offset;
  __shared__ treadle_result folded_shared[256];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x / 64;
  const unsigned int result = threadIdx.x % 64;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 64 + result;
  treadle_result folded = treadle_neutral();
  if (output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    const float *x0_row = x0 + out_index0 * x0_out_stride0;
    treadle_result folded_part[8];
    #pragma unroll
    for (unsigned int k = 0; k < 8; ++k) {
      folded_part[k] = treadle_neutral();
    }
    long long start = (long long)split * 32;
    while (start < n) {
      for (unsigned int turn = 0; turn < 16 && start < n; ++turn, start += (long long)splits * 32) {
        const unsigned int left = n - start < 32 ? (unsigned int)(n - start) : 32;
        const float *x0_tile = x0_row + start * x0_step;
        if (left == 32) {
          #pragma unroll
          for (unsigned int k = 0; k < 8; ++k) {
            const unsigned int i = k * 4 + lane;
            const float x0_i = x0_tile[i * x0_step];
            const treadle_result value = treadle_map(0, x0_i);
            folded_part[k % 8] = treadle_reduce(folded_part[k % 8], value);
          }
        } else {
          for (unsigned int i = lane; i < left; i += 4) {
            const float x0_i = x0_tile[i * x0_step];
            const treadle_result value = treadle_map(0, x0_i);
            folded = treadle_reduce(folded, value);
          }
        }
      }
      #pragma unroll
      for (unsigned int k = 0; k < 8; ++k) {
        folded = treadle_reduce(folded, folded_part[k]);
        folded_part[k] = treadle_neutral();
      }
    }
  }
  folded_shared[threadIdx.x] = folded;
  __syncthreads();
  for (unsigned int step = 2; step > 0; step /= 2) {
    if (lane < step) {
      folded = treadle_reduce(folded, folded_shared[threadIdx.x + step * 64]);
      folded_shared[threadIdx.x] = folded;
    }
    __syncthreads();
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 64 + result].folded = folded;
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
  for (unsigned int other = lane; other < count; other += 4) {
    const long long at = ((long long)tile * splits + other) * 64 + result;
    folded = treadle_reduce(folded, partials[at].folded);
  }
  folded_shared[threadIdx.x] = folded;
  __syncthreads();
  for (unsigned int step = 2; step > 0; step /= 2) {
    if (lane < step) {
      folded = treadle_reduce(folded, folded_shared[threadIdx.x + step * 64]);
      folded_shared[threadIdx.x] = folded;
    }
    __syncthreads();
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const unsigned int out_index0 = (unsigned int)output;
    treadle_result *z_row = z + out_index0 * z_out_stride0;
    z_row[0] = folded;
  }
}
