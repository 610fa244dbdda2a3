// reduction, made by treadle's reduction generator around a user's text: wide schedule
#define treadle_reduce_0(a, b) (a + b)
#define treadle_reduce_1(a, b) (a + b)
#define treadle_reduce_2(a, b) (a > b ? a : b)
typedef double treadle_result_0;
typedef long long treadle_result_1;
typedef float treadle_result_2;
typedef struct {
  treadle_result_0 folded_0;
  treadle_result_1 folded_1;
  treadle_result_2 folded_2;
} treadle_partial;
extern "C" __global__ void __launch_bounds__(256) reduction(
    float *x, long long treadle_n, long long treadle_start, long long treadle_step,
    long long treadle_results, long long treadle_inner, long long treadle_tiles,
    treadle_result_0 *treadle_out_0, treadle_result_1 *treadle_out_1,
    treadle_result_2 *treadle_out_2, unsigned int treadle_groups, unsigned int treadle_splits,
    treadle_partial *treadle_partials, unsigned int *treadle_tickets) {
  __shared__ treadle_result_0 treadle_shared_0[256];
  __shared__ treadle_result_1 treadle_shared_1[256];
  __shared__ treadle_result_2 treadle_shared_2[256];
  __shared__ unsigned int treadle_mine;
  const unsigned int treadle_depth = threadIdx.x / 64;
  const unsigned int treadle_column = threadIdx.x % 64;
  const unsigned int treadle_split = blockIdx.x % treadle_splits;
  for (long long treadle_tile = blockIdx.x / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long long treadle_at_result = treadle_tile * 64 + treadle_column;
    const long long treadle_first = treadle_start + treadle_at_result / treadle_inner * (treadle_n * treadle_inner) + treadle_at_result % treadle_inner;
    const long long treadle_own = treadle_at_result < treadle_results ? treadle_n : 0;
    treadle_result_0 treadle_folded_0 = 0;
    treadle_result_1 treadle_folded_1 = 0;
    treadle_result_2 treadle_folded_2 = -1e30f;
    const long long treadle_by = (long long)treadle_splits * 4;
    long long treadle_at = (long long)treadle_split * 4 + treadle_depth;
    for (; treadle_at + 15 * treadle_by < treadle_own; treadle_at += 16 * treadle_by) {
      treadle_result_0 treadle_block_0 = 0;
      treadle_result_1 treadle_block_1 = 0;
      treadle_result_2 treadle_block_2 = -1e30f;
      for (unsigned int treadle_turn = 0; treadle_turn < 16; ++treadle_turn) {
        const long long i = treadle_first + (treadle_at + treadle_turn * treadle_by) * treadle_step;
        treadle_block_0 = treadle_reduce_0(treadle_block_0, (
        x[i]
        ));
        treadle_block_1 = treadle_reduce_1(treadle_block_1, (
        x[i] > 0
        ));
        treadle_block_2 = treadle_reduce_2(treadle_block_2, (
        x[i]
        ));
      }
      treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_block_0);
      treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_block_1);
      treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_block_2);
    }
    for (; treadle_at < treadle_own; treadle_at += treadle_by) {
      const long long i = treadle_first + (treadle_at) * treadle_step;
      treadle_folded_0 = treadle_reduce_0(treadle_folded_0, (
      x[i]
      ));
      treadle_folded_1 = treadle_reduce_1(treadle_folded_1, (
      x[i] > 0
      ));
      treadle_folded_2 = treadle_reduce_2(treadle_folded_2, (
      x[i]
      ));
    }
    treadle_shared_0[threadIdx.x] = treadle_folded_0;
    treadle_shared_1[threadIdx.x] = treadle_folded_1;
    treadle_shared_2[threadIdx.x] = treadle_folded_2;
    __syncthreads();
    for (unsigned int treadle_width = 2; treadle_width > 0; treadle_width /= 2) {
      if (treadle_depth < treadle_width) {
        treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_shared_0[threadIdx.x + treadle_width * 64]);
        treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_shared_1[threadIdx.x + treadle_width * 64]);
        treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_shared_2[threadIdx.x + treadle_width * 64]);
        treadle_shared_0[threadIdx.x] = treadle_folded_0;
        treadle_shared_1[threadIdx.x] = treadle_folded_1;
        treadle_shared_2[threadIdx.x] = treadle_folded_2;
      }
      __syncthreads();
    }
    unsigned int treadle_is_last = 1;
    if (treadle_splits > 1) {
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split) * 64 + treadle_column].folded_0 = treadle_folded_0;
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split) * 64 + treadle_column].folded_1 = treadle_folded_1;
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split) * 64 + treadle_column].folded_2 = treadle_folded_2;
      // What a group has written is seen by whoever takes a later ticket.
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) treadle_mine = atomicAdd(treadle_tickets + treadle_tile, 1u);
      __syncthreads();
      __threadfence();
      treadle_is_last = treadle_mine == treadle_splits - 1;
      const unsigned int treadle_count = treadle_is_last ? treadle_splits : 0;
      treadle_folded_0 = 0;
      treadle_folded_1 = 0;
      treadle_folded_2 = -1e30f;
      for (unsigned int treadle_other = treadle_depth; treadle_other < treadle_count; treadle_other += 4) {
        treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_partials[(treadle_tile * treadle_splits + treadle_other) * 64 + treadle_column].folded_0);
        treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_partials[(treadle_tile * treadle_splits + treadle_other) * 64 + treadle_column].folded_1);
        treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_partials[(treadle_tile * treadle_splits + treadle_other) * 64 + treadle_column].folded_2);
      }
      treadle_shared_0[threadIdx.x] = treadle_folded_0;
      treadle_shared_1[threadIdx.x] = treadle_folded_1;
      treadle_shared_2[threadIdx.x] = treadle_folded_2;
      __syncthreads();
      for (unsigned int treadle_width = 2; treadle_width > 0; treadle_width /= 2) {
        if (treadle_depth < treadle_width) {
          treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_shared_0[threadIdx.x + treadle_width * 64]);
          treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_shared_1[threadIdx.x + treadle_width * 64]);
          treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_shared_2[threadIdx.x + treadle_width * 64]);
          treadle_shared_0[threadIdx.x] = treadle_folded_0;
          treadle_shared_1[threadIdx.x] = treadle_folded_1;
          treadle_shared_2[threadIdx.x] = treadle_folded_2;
        }
        __syncthreads();
      }
      if (treadle_is_last && threadIdx.x == 0) treadle_tickets[treadle_tile] = 0;
    }
    if (treadle_is_last && treadle_depth == 0 && treadle_at_result < treadle_results) treadle_out_0[treadle_at_result] = treadle_folded_0;
    if (treadle_is_last && treadle_depth == 0 && treadle_at_result < treadle_results) treadle_out_1[treadle_at_result] = treadle_folded_1;
    if (treadle_is_last && treadle_depth == 0 && treadle_at_result < treadle_results) treadle_out_2[treadle_at_result] = treadle_folded_2;
  }
}
