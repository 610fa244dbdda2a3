// reduction, made by treadle's reduction generator around a user's text: narrow schedule
#define treadle_reduce(a, b) (a > b ? a : b)
typedef float treadle_result;
extern "C" __global__ void __launch_bounds__(1) reduction(
    float *x, long long treadle_n, long long treadle_start, long long treadle_step,
    long long treadle_results, long long treadle_inner, long long treadle_tiles,
    treadle_result *treadle_out, unsigned int treadle_groups, unsigned int treadle_splits,
    treadle_result *treadle_partials, unsigned int *treadle_tickets) {
  const unsigned int treadle_split = blockIdx.x % treadle_splits;
  for (long long treadle_tile = blockIdx.x / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long long treadle_length = treadle_n / treadle_splits + (treadle_n % treadle_splits != 0);
    long long treadle_at = treadle_split * treadle_length;
    const long long treadle_end = treadle_n - treadle_at < treadle_length ? treadle_n : treadle_at + treadle_length;
    const long long treadle_first = treadle_start + treadle_tile / treadle_inner * (treadle_n * treadle_inner) + treadle_tile % treadle_inner;
    treadle_result treadle_folded = -1;
    treadle_result treadle_runs[128];
    for (unsigned int treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
      treadle_runs[treadle_lane] = -1;
    }
    treadle_result treadle_lanes[128];
    for (unsigned int treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
      treadle_lanes[treadle_lane] = -1;
    }
    while (treadle_at + 128 <= treadle_end) {
      const long long treadle_run = treadle_end - treadle_at < 2048 ? treadle_end : treadle_at + 2048;
      for (; treadle_at + 128 <= treadle_run; treadle_at += 128) {
        for (unsigned int treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
          const long long i = treadle_first + (treadle_at + treadle_lane) * treadle_step;
          treadle_runs[treadle_lane] = treadle_reduce(treadle_runs[treadle_lane], (
          x[i] * x[i]
          ));
        }
      }
      for (unsigned int treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
        treadle_lanes[treadle_lane] = treadle_reduce(treadle_lanes[treadle_lane], treadle_runs[treadle_lane]);
        treadle_runs[treadle_lane] = -1;
      }
    }
    for (; treadle_at < treadle_end; ++treadle_at) {
      const long long i = treadle_first + (treadle_at) * treadle_step;
      treadle_folded = treadle_reduce(treadle_folded, (
      x[i] * x[i]
      ));
    }
    for (unsigned int treadle_lane = 0; treadle_lane < 128; treadle_lane += 16) {
      treadle_result treadle_block = -1;
      for (unsigned int treadle_k = 0; treadle_k < 16; ++treadle_k) {
        treadle_block = treadle_reduce(treadle_block, treadle_lanes[treadle_lane + treadle_k]);
      }
      treadle_folded = treadle_reduce(treadle_folded, treadle_block);
    }
    if (treadle_splits > 1) {
      treadle_partials[(treadle_tile * treadle_splits + treadle_split)] = treadle_folded;
      // What a group has written is seen by whoever takes a later ticket.
      __threadfence();
      if (atomicAdd(treadle_tickets + treadle_tile, 1u) != treadle_splits - 1) continue;
      __threadfence();
      treadle_tickets[treadle_tile] = 0;
      treadle_folded = -1;
      for (unsigned int treadle_other = 0; treadle_other < treadle_splits; ++treadle_other) {
        treadle_folded = treadle_reduce(treadle_folded, treadle_partials[(treadle_tile * treadle_splits + treadle_other)]);
      }
    }
    treadle_out[treadle_tile] = treadle_folded;
  }
}
