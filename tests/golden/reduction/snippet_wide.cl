// reduction, made by treadle's reduction generator around a user's text: wide schedule
#define treadle_reduce(a, b) (a > b ? a : b)
typedef float treadle_result;
__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) reduction(
    __global float *x__base, long x__offset, long treadle_n, long treadle_start, long treadle_step,
    __global treadle_result *treadle_out, long treadle_out_offset, uint treadle_groups,
    __global treadle_result *treadle_partials, __global uint *treadle_ticket) {
  __global float *x = (__global float *)((__global char *)x__base + x__offset);
  treadle_out += treadle_out_offset;
  __local treadle_result treadle_shared[256];
  __local uint treadle_mine;
  treadle_result treadle_folded = -1;
  for (long treadle_at = (long)(uint)get_group_id(0) * 256 + (uint)get_local_id(0); treadle_at < treadle_n; treadle_at += (long)treadle_groups * 256) {
    const long i = treadle_start + (treadle_at) * treadle_step;
    treadle_folded = treadle_reduce(treadle_folded, (
    x[i] * x[i]
    ));
  }
  treadle_shared[(uint)get_local_id(0)] = treadle_folded;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
    if ((uint)get_local_id(0) < treadle_width) {
      treadle_folded = treadle_reduce(treadle_folded, treadle_shared[(uint)get_local_id(0) + treadle_width]);
      treadle_shared[(uint)get_local_id(0)] = treadle_folded;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if ((uint)get_local_id(0) == 0) treadle_partials[(uint)get_group_id(0)] = treadle_folded;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0) treadle_mine = atomic_add(treadle_ticket, 1u);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint treadle_count = treadle_mine == treadle_groups - 1 ? treadle_groups : 0;
  treadle_folded = -1;
  for (uint treadle_other = (uint)get_local_id(0); treadle_other < treadle_count; treadle_other += 256) {
    treadle_folded = treadle_reduce(treadle_folded, treadle_partials[treadle_other]);
  }
  treadle_shared[(uint)get_local_id(0)] = treadle_folded;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint treadle_width = 128; treadle_width > 0; treadle_width /= 2) {
    if ((uint)get_local_id(0) < treadle_width) {
      treadle_folded = treadle_reduce(treadle_folded, treadle_shared[(uint)get_local_id(0) + treadle_width]);
      treadle_shared[(uint)get_local_id(0)] = treadle_folded;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (treadle_count > 0 && (uint)get_local_id(0) == 0) {
    *treadle_ticket = 0;
    *treadle_out = treadle_folded;
  }
}
