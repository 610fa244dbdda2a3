// argmax_i64, made by treadle's reduction generator:
//   argmax_0_at = argmax of x
//   z = argmax_0_at
// rows, linear loop, wide schedule, work-items on a result: 256, results are shared by groups
typedef struct __align__(16) {
  double at[2];
} float64_x2;

typedef struct {
  double argmax_0;
  long long argmax_0_at;
} partial;

extern "C" __global__ void __launch_bounds__(256) argmax_i64(
    const double *x, long long place, long long *__restrict__ z, long long out_n, long long n,
    unsigned int splits, partial *partials, unsigned int *tickets) {
  __shared__ double argmax_0_shared[8];
  __shared__ long long argmax_0_at_shared[8];
  __shared__ unsigned int ticket;
  const unsigned int lane = threadIdx.x % 256;
  const unsigned int result = threadIdx.x / 256;
  const unsigned int tile = blockIdx.x / splits;
  const unsigned int split = blockIdx.x - tile * splits;
  const long long output = (long long)tile * 1 + result;
  double argmax_0 = -__int_as_float(0x7f800000);
  long long argmax_0_at = 9223372036854775807LL;
  if (output < out_n) {
    const double *x_row = x;
    const long long place_row = place;
    double argmax_0_part[2];
    unsigned int argmax_0_step_part[2];
    #pragma unroll
    for (unsigned int k = 0; k < 2; ++k) {
      argmax_0_part[k] = -__int_as_float(0x7f800000);
      argmax_0_step_part[k] = 0;
    }
    unsigned int step = 0;
    for (long long start = (long long)split * 1024; start < n; start += (long long)splits * 1024) {
      const unsigned int left = n - start < 1024 ? (unsigned int)(n - start) : 1024;
      const double *x_tile = x_row + start;
      const long long place_tile = place_row + start;
      if (left == 1024) {
        #pragma unroll
        for (unsigned int k = 0; k < 2; ++k) {
          const unsigned int i = (k * 256 + lane) * 2;
          const float64_x2 x_in = *(const float64_x2 *)(x_tile + i);
          #pragma unroll
          for (unsigned int j = 0; j < 2; ++j) {
            const double x_i = x_in.at[j];
            {
              const int wins = !(x_i <= argmax_0_part[j % 2]) & !((isnan(argmax_0_part[j % 2])) != 0);
              argmax_0_part[j % 2] = wins ? x_i : argmax_0_part[j % 2];
              argmax_0_step_part[j % 2] = wins ? step + k : argmax_0_step_part[j % 2];
            }
          }
        }
        step += 2;
      } else {
        for (unsigned int i = lane; i < left; i += 256) {
          const double x_i = x_tile[i];
          {
            const int is_before = !(x_i <= argmax_0) & !((isnan(argmax_0)) != 0);
            const int is_behind = !(argmax_0 <= x_i) & !((isnan(x_i)) != 0);
            const int wins = is_before | (!is_behind & ((place_tile + i) < argmax_0_at));
            argmax_0 = wins ? x_i : argmax_0;
            argmax_0_at = wins ? (place_tile + i) : argmax_0_at;
          }
        }
      }
    }
    if (step > 0) {
      #pragma unroll
      for (unsigned int k = 0; k < 2; ++k) {
        const long long argmax_0_at_part = place_row + (split + (long long)(argmax_0_step_part[k] / 2) * splits) * 1024 + ((argmax_0_step_part[k] % 2) * 256 + lane) * 2 + k;
        {
          const int is_before = !(argmax_0_part[k] <= argmax_0) & !((isnan(argmax_0)) != 0);
          const int is_behind = !(argmax_0 <= argmax_0_part[k]) & !((isnan(argmax_0_part[k])) != 0);
          const int wins = is_before | (!is_behind & (argmax_0_at_part < argmax_0_at));
          argmax_0 = wins ? argmax_0_part[k] : argmax_0;
          argmax_0_at = wins ? argmax_0_at_part : argmax_0_at;
        }
      }
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double argmax_0_other = __shfl_down_sync(0xffffffffu, argmax_0, step);
    const long long argmax_0_at_other = __shfl_down_sync(0xffffffffu, argmax_0_at, step);
    {
      const int is_before = !(argmax_0_other <= argmax_0) & !((isnan(argmax_0)) != 0);
      const int is_behind = !(argmax_0 <= argmax_0_other) & !((isnan(argmax_0_other)) != 0);
      const int wins = is_before | (!is_behind & (argmax_0_at_other < argmax_0_at));
      argmax_0 = wins ? argmax_0_other : argmax_0;
      argmax_0_at = wins ? argmax_0_at_other : argmax_0_at;
    }
  }
  if (lane % 32 == 0) {
    argmax_0_shared[threadIdx.x / 32] = argmax_0;
    argmax_0_at_shared[threadIdx.x / 32] = argmax_0_at;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const int is_before = !(argmax_0_shared[threadIdx.x / 32 + other] <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= argmax_0_shared[threadIdx.x / 32 + other]) & !((isnan(argmax_0_shared[threadIdx.x / 32 + other])) != 0);
        const int wins = is_before | (!is_behind & (argmax_0_at_shared[threadIdx.x / 32 + other] < argmax_0_at));
        argmax_0 = wins ? argmax_0_shared[threadIdx.x / 32 + other] : argmax_0;
        argmax_0_at = wins ? argmax_0_at_shared[threadIdx.x / 32 + other] : argmax_0_at;
      }
    }
  }
  if (lane == 0) {
    partials[(long long)blockIdx.x * 1 + result].argmax_0 = argmax_0;
    partials[(long long)blockIdx.x * 1 + result].argmax_0_at = argmax_0_at;
  }
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    ticket = atomicAdd(tickets + tile, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int count = ticket == splits - 1 ? splits : 0;
  argmax_0 = -__int_as_float(0x7f800000);
  argmax_0_at = 9223372036854775807LL;
  for (unsigned int other = lane; other < count; other += 256) {
    const long long at = ((long long)tile * splits + other) * 1 + result;
    {
      const int is_before = !((partials[at].argmax_0) <= argmax_0) & !((isnan(argmax_0)) != 0);
      const int is_behind = !(argmax_0 <= (partials[at].argmax_0)) & !((isnan(partials[at].argmax_0)) != 0);
      const int wins = is_before | (!is_behind & (partials[at].argmax_0_at < argmax_0_at));
      argmax_0 = wins ? partials[at].argmax_0 : argmax_0;
      argmax_0_at = wins ? partials[at].argmax_0_at : argmax_0_at;
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const double argmax_0_other = __shfl_down_sync(0xffffffffu, argmax_0, step);
    const long long argmax_0_at_other = __shfl_down_sync(0xffffffffu, argmax_0_at, step);
    {
      const int is_before = !(argmax_0_other <= argmax_0) & !((isnan(argmax_0)) != 0);
      const int is_behind = !(argmax_0 <= argmax_0_other) & !((isnan(argmax_0_other)) != 0);
      const int wins = is_before | (!is_behind & (argmax_0_at_other < argmax_0_at));
      argmax_0 = wins ? argmax_0_other : argmax_0;
      argmax_0_at = wins ? argmax_0_at_other : argmax_0_at;
    }
  }
  if (lane % 32 == 0) {
    argmax_0_shared[threadIdx.x / 32] = argmax_0;
    argmax_0_at_shared[threadIdx.x / 32] = argmax_0_at;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const int is_before = !(argmax_0_shared[threadIdx.x / 32 + other] <= argmax_0) & !((isnan(argmax_0)) != 0);
        const int is_behind = !(argmax_0 <= argmax_0_shared[threadIdx.x / 32 + other]) & !((isnan(argmax_0_shared[threadIdx.x / 32 + other])) != 0);
        const int wins = is_before | (!is_behind & (argmax_0_at_shared[threadIdx.x / 32 + other] < argmax_0_at));
        argmax_0 = wins ? argmax_0_shared[threadIdx.x / 32 + other] : argmax_0;
        argmax_0_at = wins ? argmax_0_at_shared[threadIdx.x / 32 + other] : argmax_0_at;
      }
    }
  }
  if (count > 0 && threadIdx.x == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    long long *z_row = z;
    z_row[0] = argmax_0_at;
  }
}
