// reduction, made by treadle's reduction generator around a user's text: narrow schedule
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
extern "C" __global__ void __launch_bounds__(1) reduction(
    float *x, long long treadle_n, long long treadle_start, long long treadle_step,
    long long treadle_results, long long treadle_inner, long long treadle_tiles,
    treadle_result_0 *treadle_out_0, treadle_result_1 *treadle_out_1,
    treadle_result_2 *treadle_out_2, unsigned int treadle_groups, unsigned int treadle_splits,
    treadle_partial *treadle_partials, unsigned int *treadle_tickets) {
  const unsigned int treadle_split = blockIdx.x % treadle_splits;
  for (long long treadle_tile = blockIdx.x / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long long treadle_length = treadle_n / treadle_splits + (treadle_n % treadle_splits != 0);
    long long treadle_at = treadle_split * treadle_length;
    const long long treadle_end = treadle_n - treadle_at < treadle_length ? treadle_n : treadle_at + treadle_length;
    const long long treadle_first = treadle_start + treadle_tile / treadle_inner * (treadle_n * treadle_inner) + treadle_tile % treadle_inner;
    treadle_result_0 treadle_folded_0 = 0;
    treadle_result_1 treadle_folded_1 = 0;
    treadle_result_2 treadle_folded_2 = -1e30f;
    treadle_result_0 treadle_runs_0[64];
    treadle_result_1 treadle_runs_1[64];
    treadle_result_2 treadle_runs_2[64];
    for (unsigned int treadle_lane = 0; treadle_lane < 64; ++treadle_lane) {
      treadle_runs_0[treadle_lane] = 0;
      treadle_runs_1[treadle_lane] = 0;
      treadle_runs_2[treadle_lane] = -1e30f;
    }
    treadle_result_0 treadle_lanes_0[64];
    treadle_result_1 treadle_lanes_1[64];
    treadle_result_2 treadle_lanes_2[64];
    for (unsigned int treadle_lane = 0; treadle_lane < 64; ++treadle_lane) {
      treadle_lanes_0[treadle_lane] = 0;
      treadle_lanes_1[treadle_lane] = 0;
      treadle_lanes_2[treadle_lane] = -1e30f;
    }
    while (treadle_at + 64 <= treadle_end) {
      const long long treadle_run = treadle_end - treadle_at < 1024 ? treadle_end : treadle_at + 1024;
      for (; treadle_at + 64 <= treadle_run; treadle_at += 64) {
        for (unsigned int treadle_lane = 0; treadle_lane < 64; ++treadle_lane) {
          const long long i = treadle_first + (treadle_at + treadle_lane) * treadle_step;
          treadle_runs_0[treadle_lane] = treadle_reduce_0(treadle_runs_0[treadle_lane], (
          x[i]
          ));
          treadle_runs_1[treadle_lane] = treadle_reduce_1(treadle_runs_1[treadle_lane], (
          x[i] > 0
          ));
          treadle_runs_2[treadle_lane] = treadle_reduce_2(treadle_runs_2[treadle_lane], (
          x[i]
          ));
        }
      }
      for (unsigned int treadle_lane = 0; treadle_lane < 64; ++treadle_lane) {
        treadle_lanes_0[treadle_lane] = treadle_reduce_0(treadle_lanes_0[treadle_lane], treadle_runs_0[treadle_lane]);
        treadle_lanes_1[treadle_lane] = treadle_reduce_1(treadle_lanes_1[treadle_lane], treadle_runs_1[treadle_lane]);
        treadle_lanes_2[treadle_lane] = treadle_reduce_2(treadle_lanes_2[treadle_lane], treadle_runs_2[treadle_lane]);
        treadle_runs_0[treadle_lane] = 0;
        treadle_runs_1[treadle_lane] = 0;
        treadle_runs_2[treadle_lane] = -1e30f;
      }
    }
    for (; treadle_at < treadle_end; ++treadle_at) {
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
    for (unsigned int treadle_lane = 0; treadle_lane < 64; treadle_lane += 16) {
      treadle_result_0 treadle_block_0 = 0;
      treadle_result_1 treadle_block_1 = 0;
      treadle_result_2 treadle_block_2 = -1e30f;
      for (unsigned int treadle_k = 0; treadle_k < 16; ++treadle_k) {
        treadle_block_0 = treadle_reduce_0(treadle_block_0, treadle_lanes_0[treadle_lane + treadle_k]);
        treadle_block_1 = treadle_reduce_1(treadle_block_1, treadle_lanes_1[treadle_lane + treadle_k]);
        treadle_block_2 = treadle_reduce_2(treadle_block_2, treadle_lanes_2[treadle_lane + treadle_k]);
      }
      treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_block_0);
      treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_block_1);
      treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_block_2);
    }
    if (treadle_splits > 1) {
      treadle_partials[(treadle_tile * treadle_splits + treadle_split)].folded_0 = treadle_folded_0;
      treadle_partials[(treadle_tile * treadle_splits + treadle_split)].folded_1 = treadle_folded_1;
      treadle_partials[(treadle_tile * treadle_splits + treadle_split)].folded_2 = treadle_folded_2;
      // What a group has written is seen by whoever takes a later ticket.
      __threadfence();
      if (atomicAdd(treadle_tickets + treadle_tile, 1u) != treadle_splits - 1) continue;
      __threadfence();
      treadle_tickets[treadle_tile] = 0;
      treadle_folded_0 = 0;
      treadle_folded_1 = 0;
      treadle_folded_2 = -1e30f;
      for (unsigned int treadle_other = 0; treadle_other < treadle_splits; ++treadle_other) {
        treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_partials[(treadle_tile * treadle_splits + treadle_other)].folded_0);
        treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_partials[(treadle_tile * treadle_splits + treadle_other)].folded_1);
        treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_partials[(treadle_tile * treadle_splits + treadle_other)].folded_2);
      }
    }
    treadle_out_0[treadle_tile] = treadle_folded_0;
    treadle_out_1[treadle_tile] = treadle_folded_1;
    treadle_out_2[treadle_tile] = treadle_folded_2;
  }
}
