// reduction, made by treadle's reduction generator around a user's text: narrow schedule
#define treadle_reduce(a, b) (a > b ? a : b)
typedef float treadle_result;
__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) reduction(
    __global float *x__base, long x__offset, long treadle_n, long treadle_start, long treadle_step,
    long treadle_results, long treadle_inner, long treadle_tiles,
    __global treadle_result *treadle_out, long treadle_out_offset, uint treadle_groups,
    uint treadle_splits, __global treadle_result *treadle_partials,
    __global uint *treadle_tickets) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  treadle_out += treadle_out_offset;
  const uint treadle_split = (uint)get_group_id(0) % treadle_splits;
  for (long treadle_tile = (uint)get_group_id(0) / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long treadle_length = treadle_n / treadle_splits + (treadle_n % treadle_splits != 0);
    long treadle_at = treadle_split * treadle_length;
    const long treadle_end = treadle_n - treadle_at < treadle_length ? treadle_n : treadle_at + treadle_length;
    const long treadle_first = treadle_start + treadle_tile / treadle_inner * (treadle_n * treadle_inner) + treadle_tile % treadle_inner;
    treadle_result treadle_folded = -1;
    treadle_result treadle_runs[128];
    for (uint treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
      treadle_runs[treadle_lane] = -1;
    }
    treadle_result treadle_lanes[128];
    for (uint treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
      treadle_lanes[treadle_lane] = -1;
    }
    while (treadle_at + 128 <= treadle_end) {
      const long treadle_run = treadle_end - treadle_at < 2048 ? treadle_end : treadle_at + 2048;
      for (; treadle_at + 128 <= treadle_run; treadle_at += 128) {
        for (uint treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
          const long i = treadle_first + (treadle_at + treadle_lane) * treadle_step;
          treadle_runs[treadle_lane] = treadle_reduce(treadle_runs[treadle_lane], (
          x[i] * x[i]
          ));
        }
      }
      for (uint treadle_lane = 0; treadle_lane < 128; ++treadle_lane) {
        treadle_lanes[treadle_lane] = treadle_reduce(treadle_lanes[treadle_lane], treadle_runs[treadle_lane]);
        treadle_runs[treadle_lane] = -1;
      }
    }
    for (; treadle_at < treadle_end; ++treadle_at) {
      const long i = treadle_first + (treadle_at) * treadle_step;
      treadle_folded = treadle_reduce(treadle_folded, (
      x[i] * x[i]
      ));
    }
    for (uint treadle_lane = 0; treadle_lane < 128; treadle_lane += 16) {
      treadle_result treadle_block = -1;
      for (uint treadle_k = 0; treadle_k < 16; ++treadle_k) {
        treadle_block = treadle_reduce(treadle_block, treadle_lanes[treadle_lane + treadle_k]);
      }
      treadle_folded = treadle_reduce(treadle_folded, treadle_block);
    }
    if (treadle_splits > 1) {
      treadle_partials[(treadle_tile * treadle_splits + treadle_split)] = treadle_folded;
      // What a group has written is seen by whoever takes a later ticket.
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (atomic_add(treadle_tickets + treadle_tile, 1u) != treadle_splits - 1) continue;
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      treadle_tickets[treadle_tile] = 0;
      treadle_folded = -1;
      for (uint treadle_other = 0; treadle_other < treadle_splits; ++treadle_other) {
        treadle_folded = treadle_reduce(treadle_folded, treadle_partials[(treadle_tile * treadle_splits + treadle_other)]);
      }
    }
    treadle_out[treadle_tile] = treadle_folded;
  }
}
