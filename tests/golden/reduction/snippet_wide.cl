// reduction, made by treadle's reduction generator around a user's text: wide schedule
#define treadle_reduce(a, b) (a > b ? a : b)
typedef float treadle_result;
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) reduction(
    __global float *x__base, long x__offset, long treadle_n, long treadle_start, long treadle_step,
    long treadle_results, long treadle_inner, long treadle_tiles,
    __global treadle_result *treadle_out, long treadle_out_offset, uint treadle_groups,
    uint treadle_splits, __global treadle_result *treadle_partials,
    __global uint *treadle_tickets) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  treadle_out += treadle_out_offset;
  __local treadle_result treadle_shared[256];
  __local uint treadle_mine;
  const uint treadle_depth = (uint)get_local_id(0) % 256;
  const uint treadle_split = (uint)get_group_id(0) % treadle_splits;
  for (long treadle_tile = (uint)get_group_id(0) / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long treadle_first = treadle_start + treadle_tile / treadle_inner * (treadle_n * treadle_inner) + treadle_tile % treadle_inner;
    treadle_result treadle_folded = -1;
    const long treadle_by = (long)treadle_splits * 256;
    long treadle_at = (long)treadle_split * 256 + treadle_depth;
    for (; treadle_at + 15 * treadle_by < treadle_n; treadle_at += 16 * treadle_by) {
      treadle_result treadle_block = -1;
      for (uint treadle_turn = 0; treadle_turn < 16; ++treadle_turn) {
        const long i = treadle_first + (treadle_at + treadle_turn * treadle_by) * treadle_step;
        treadle_block = treadle_reduce(treadle_block, (
        x[i] * x[i]
        ));
      }
      treadle_folded = treadle_reduce(treadle_folded, treadle_block);
    }
    for (; treadle_at < treadle_n; treadle_at += treadle_by) {
      const long i = treadle_first + (treadle_at) * treadle_step;
      treadle_folded = treadle_reduce(treadle_folded, (
      x[i] * x[i]
      ));
    }
    treadle_shared[(uint)get_local_id(0)] = treadle_folded;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
      if (treadle_depth < treadle_width) {
        treadle_folded = treadle_reduce(treadle_folded, treadle_shared[(uint)get_local_id(0) + treadle_width]);
        treadle_shared[(uint)get_local_id(0)] = treadle_folded;
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    uint treadle_is_last = 1;
    if (treadle_splits > 1) {
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split)] = treadle_folded;
      // What a group has written is seen by whoever takes a later ticket.
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if ((uint)get_local_id(0) == 0) treadle_mine = atomic_add(treadle_tickets + treadle_tile, 1u);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      treadle_is_last = treadle_mine == treadle_splits - 1;
      const uint treadle_count = treadle_is_last ? treadle_splits : 0;
      treadle_folded = -1;
      for (uint treadle_other = treadle_depth; treadle_other < treadle_count; treadle_other += 256) {
        treadle_folded = treadle_reduce(treadle_folded, treadle_partials[(treadle_tile * treadle_splits + treadle_other)]);
      }
      treadle_shared[(uint)get_local_id(0)] = treadle_folded;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      for (uint treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
        if (treadle_depth < treadle_width) {
          treadle_folded = treadle_reduce(treadle_folded, treadle_shared[(uint)get_local_id(0) + treadle_width]);
          treadle_shared[(uint)get_local_id(0)] = treadle_folded;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      }
      if (treadle_is_last && (uint)get_local_id(0) == 0) treadle_tickets[treadle_tile] = 0;
    }
    if (treadle_is_last && treadle_depth == 0) treadle_out[treadle_tile] = treadle_folded;
  }
}
