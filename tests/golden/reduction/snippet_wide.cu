// reduction, made by treadle's reduction generator around a user's text: wide schedule
#define treadle_reduce(a, b) (a > b ? a : b)
typedef float treadle_result;
extern "C" __global__ void __launch_bounds__(256) reduction(
    float *x, long long treadle_n, long long treadle_start, long long treadle_step,
    treadle_result *treadle_out, unsigned int treadle_groups, treadle_result *treadle_partials,
    unsigned int *treadle_ticket) {
  __shared__ treadle_result treadle_shared[256];
  __shared__ unsigned int treadle_mine;
  treadle_result treadle_folded = -1;
  for (long long treadle_at = (long long)blockIdx.x * 256 + threadIdx.x; treadle_at < treadle_n; treadle_at += (long long)treadle_groups * 256) {
    const long long i = treadle_start + (treadle_at) * treadle_step;
    treadle_folded = treadle_reduce(treadle_folded, (
    x[i] * x[i]
    ));
  }
  treadle_shared[threadIdx.x] = treadle_folded;
  __syncthreads();
  for (unsigned int treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
    if (threadIdx.x < treadle_width) {
      treadle_folded = treadle_reduce(treadle_folded, treadle_shared[threadIdx.x + treadle_width]);
      treadle_shared[threadIdx.x] = treadle_folded;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) treadle_partials[blockIdx.x] = treadle_folded;
  // What a group has written is seen by whoever takes a later ticket.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) treadle_mine = atomicAdd(treadle_ticket, 1u);
  __syncthreads();
  __threadfence();
  const unsigned int treadle_count = treadle_mine == treadle_groups - 1 ? treadle_groups : 0;
  treadle_folded = -1;
  for (unsigned int treadle_other = threadIdx.x; treadle_other < treadle_count; treadle_other += 256) {
    treadle_folded = treadle_reduce(treadle_folded, treadle_partials[treadle_other]);
  }
  treadle_shared[threadIdx.x] = treadle_folded;
  __syncthreads();
  for (unsigned int treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
    if (threadIdx.x < treadle_width) {
      treadle_folded = treadle_reduce(treadle_folded, treadle_shared[threadIdx.x + treadle_width]);
      treadle_shared[threadIdx.x] = treadle_folded;
    }
    __syncthreads();
  }
  if (treadle_count > 0 && threadIdx.x == 0) {
    *treadle_ticket = 0;
    *treadle_out = treadle_folded;
  }
}
