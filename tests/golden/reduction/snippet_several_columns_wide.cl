// reduction, made by treadle's reduction generator around a user's text: wide schedule
#define treadle_reduce_0(a, b) (a + b)
#define treadle_reduce_1(a, b) (a + b)
#define treadle_reduce_2(a, b) (a > b ? a : b)
typedef double treadle_result_0;
typedef long treadle_result_1;
typedef float treadle_result_2;
typedef struct {
  treadle_result_0 folded_0;
  treadle_result_1 folded_1;
  treadle_result_2 folded_2;
} treadle_partial;
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) reduction(
    __global float *x__base, long x__offset, long treadle_n, long treadle_start, long treadle_step,
    long treadle_results, long treadle_inner, long treadle_tiles,
    __global treadle_result_0 *treadle_out_0, long treadle_out_offset_0,
    __global treadle_result_1 *treadle_out_1, long treadle_out_offset_1,
    __global treadle_result_2 *treadle_out_2, long treadle_out_offset_2, uint treadle_groups,
    uint treadle_splits, __global treadle_partial *treadle_partials,
    __global uint *treadle_tickets) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  treadle_out_0 += treadle_out_offset_0;
  treadle_out_1 += treadle_out_offset_1;
  treadle_out_2 += treadle_out_offset_2;
  __local treadle_result_0 treadle_shared_0[256];
  __local treadle_result_1 treadle_shared_1[256];
  __local treadle_result_2 treadle_shared_2[256];
  __local uint treadle_mine;
  const uint treadle_depth = (uint)get_local_id(0) / 64;
  const uint treadle_column = (uint)get_local_id(0) % 64;
  const uint treadle_split = (uint)get_group_id(0) % treadle_splits;
  for (long treadle_tile = (uint)get_group_id(0) / treadle_splits; treadle_tile < treadle_tiles; treadle_tile += treadle_groups / treadle_splits) {
    const long treadle_at_result = treadle_tile * 64 + treadle_column;
    const long treadle_first = treadle_start + treadle_at_result / treadle_inner * (treadle_n * treadle_inner) + treadle_at_result % treadle_inner;
    const long treadle_own = treadle_at_result < treadle_results ? treadle_n : 0;
    treadle_result_0 treadle_folded_0 = 0;
    treadle_result_1 treadle_folded_1 = 0;
    treadle_result_2 treadle_folded_2 = -1e30f;
    const long treadle_by = (long)treadle_splits * 4;
    long treadle_at = (long)treadle_split * 4 + treadle_depth;
    for (; treadle_at + 15 * treadle_by < treadle_own; treadle_at += 16 * treadle_by) {
      treadle_result_0 treadle_block_0 = 0;
      treadle_result_1 treadle_block_1 = 0;
      treadle_result_2 treadle_block_2 = -1e30f;
      for (uint treadle_turn = 0; treadle_turn < 16; ++treadle_turn) {
        const long i = treadle_first + (treadle_at + treadle_turn * treadle_by) * treadle_step;
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
      const long i = treadle_first + (treadle_at) * treadle_step;
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
    treadle_shared_0[(uint)get_local_id(0)] = treadle_folded_0;
    treadle_shared_1[(uint)get_local_id(0)] = treadle_folded_1;
    treadle_shared_2[(uint)get_local_id(0)] = treadle_folded_2;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint treadle_width = 2; treadle_width > 0; treadle_width /= 2) {
      if (treadle_depth < treadle_width) {
        treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_shared_0[(uint)get_local_id(0) + treadle_width * 64]);
        treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_shared_1[(uint)get_local_id(0) + treadle_width * 64]);
        treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_shared_2[(uint)get_local_id(0) + treadle_width * 64]);
        treadle_shared_0[(uint)get_local_id(0)] = treadle_folded_0;
        treadle_shared_1[(uint)get_local_id(0)] = treadle_folded_1;
        treadle_shared_2[(uint)get_local_id(0)] = treadle_folded_2;
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    uint treadle_is_last = 1;
    if (treadle_splits > 1) {
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split) * 64 + treadle_column].folded_0 = treadle_folded_0;
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split) * 64 + treadle_column].folded_1 = treadle_folded_1;
      if (treadle_depth == 0) treadle_partials[(treadle_tile * treadle_splits + treadle_split) * 64 + treadle_column].folded_2 = treadle_folded_2;
      // What a group has written is seen by whoever takes a later ticket.
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if ((uint)get_local_id(0) == 0) treadle_mine = atomic_add(treadle_tickets + treadle_tile, 1u);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      treadle_is_last = treadle_mine == treadle_splits - 1;
      const uint treadle_count = treadle_is_last ? treadle_splits : 0;
      treadle_folded_0 = 0;
      treadle_folded_1 = 0;
      treadle_folded_2 = -1e30f;
      for (uint treadle_other = treadle_depth; treadle_other < treadle_count; treadle_other += 4) {
        treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_partials[(treadle_tile * treadle_splits + treadle_other) * 64 + treadle_column].folded_0);
        treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_partials[(treadle_tile * treadle_splits + treadle_other) * 64 + treadle_column].folded_1);
        treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_partials[(treadle_tile * treadle_splits + treadle_other) * 64 + treadle_column].folded_2);
      }
      treadle_shared_0[(uint)get_local_id(0)] = treadle_folded_0;
      treadle_shared_1[(uint)get_local_id(0)] = treadle_folded_1;
      treadle_shared_2[(uint)get_local_id(0)] = treadle_folded_2;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      for (uint treadle_width = 2; treadle_width > 0; treadle_width /= 2) {
        if (treadle_depth < treadle_width) {
          treadle_folded_0 = treadle_reduce_0(treadle_folded_0, treadle_shared_0[(uint)get_local_id(0) + treadle_width * 64]);
          treadle_folded_1 = treadle_reduce_1(treadle_folded_1, treadle_shared_1[(uint)get_local_id(0) + treadle_width * 64]);
          treadle_folded_2 = treadle_reduce_2(treadle_folded_2, treadle_shared_2[(uint)get_local_id(0) + treadle_width * 64]);
          treadle_shared_0[(uint)get_local_id(0)] = treadle_folded_0;
          treadle_shared_1[(uint)get_local_id(0)] = treadle_folded_1;
          treadle_shared_2[(uint)get_local_id(0)] = treadle_folded_2;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      }
      if (treadle_is_last && (uint)get_local_id(0) == 0) treadle_tickets[treadle_tile] = 0;
    }
    if (treadle_is_last && treadle_depth == 0 && treadle_at_result < treadle_results) treadle_out_0[treadle_at_result] = treadle_folded_0;
    if (treadle_is_last && treadle_depth == 0 && treadle_at_result < treadle_results) treadle_out_1[treadle_at_result] = treadle_folded_1;
    if (treadle_is_last && treadle_depth == 0 && treadle_at_result < treadle_results) treadle_out_2[treadle_at_result] = treadle_folded_2;
  }
}
