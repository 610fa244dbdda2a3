// reduction, made by treadle's reduction generator around a user's text: wide schedule
#define treadle_reduce(a, b) (a > b ? a : b)
typedef float treadle_result;
extern "C" __global__ void __launch_bounds__(256) reduction(
    float *x, long long treadle_n, long long treadle_start, long long treadle_step,
    long long treadle_results, long long treadle_inner, long long treadle_tiles,
    treadle_result *treadle_out, unsigned int treadle_groups, unsigned int treadle_splits,
    treadle_result *treadle_partials, unsigned int *treadle_tickets) {
  __shared__ treadle_result treadle_shared[256];
  __shared__ unsigned int treadle_mine;
  const unsigned int treadle_depth = threadIdx.x % 256;
  const unsigned int treadle_split = blockIdx.x % treadle_splits;
  for (long long treadle_tile = blockIdx.x / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long long treadle_first = treadle_start + treadle_tile / treadle_inner * (treadle_n * treadle_inner) + treadle_tile % treadle_inner;
    treadle_result treadle_folded = -1;
    const long long treadle_by = (long long)treadle_splits * 256;
    long long treadle_at = (long long)treadle_split * 256 + treadle_depth;
    for (; treadle_at + 15 * treadle_by < treadle_n; treadle_at += 16 * treadle_by) {
      treadle_result treadle_block = -1;
      for (unsigned int treadle_turn = 0; treadle_turn < 16; ++treadle_turn) {
        const long long i = treadle_first + (treadle_at + treadle_turn * treadle_by) * treadle_step;
        treadle_block = treadle_reduce(treadle_block, (
        x[i] * x[i]
        ));
      }
      treadle_folded = treadle_reduce(treadle_folded, treadle_block);
    }
    for (; treadle_at < treadle_n; treadle_at += treadle_by) {
      const long long i = treadle_first + (treadle_at) * treadle_step;
      treadle_folded = treadle_reduce(treadle_folded, (
      x[i] * x[i]
      ));
    }
    treadle_shared[threadIdx.x] = treadle_folded;
    __syncthreads();
    for (unsigned int treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
      if (treadle_depth < treadle_width) {
        treadle_folded = treadle_reduce(treadle_folded, treadle_shared[threadIdx.x + treadle_width]);
        treadle_shared[threadIdx.x] = treadle_folded;
      }
      __syncthreads();
    }
    unsigned int treadle_is_last = 1;
    if (treadle_splits > 1) {
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split)] = treadle_folded;
      // What a group has written is seen by whoever takes a later ticket.
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) treadle_mine = atomicAdd(treadle_tickets + treadle_tile, 1u);
      __syncthreads();
      __threadfence();
      treadle_is_last = treadle_mine == treadle_splits - 1;
      const unsigned int treadle_count = treadle_is_last ? treadle_splits : 0;
      treadle_folded = -1;
      for (unsigned int treadle_other = treadle_depth; treadle_other < treadle_count; treadle_other += 256) {
        treadle_folded = treadle_reduce(treadle_folded, treadle_partials[(treadle_tile * treadle_splits + treadle_other)]);
      }
      treadle_shared[threadIdx.x] = treadle_folded;
      __syncthreads();
      for (unsigned int treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
        if (treadle_depth < treadle_width) {
          treadle_folded = treadle_reduce(treadle_folded, treadle_shared[threadIdx.x + treadle_width]);
          treadle_shared[threadIdx.x] = treadle_folded;
        }
        __syncthreads();
      }
      if (treadle_is_last && threadIdx.x == 0) treadle_tickets[treadle_tile] = 0;
    }
    if (treadle_is_last && treadle_depth == 0) treadle_out[treadle_tile] = treadle_folded;
  }
}
