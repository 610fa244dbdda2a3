// any_b8, made by treadle's reduction generator:
//   any_0 = any of x
//   z = any_0
// rows, linear loop, wide schedule, work-items on a result: 1, results are shared by groups
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  int any_0;
} partial;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) any_b8(
    const __global uchar *x, long x_offset, __global uchar *restrict z, long z_offset, long out_n,
    long x_out_stride0, long z_out_stride0, long n, uint splits, __global partial *partials,
    __global uint *tickets) {
  x += x_offset;
  z += z_offset;
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) % 1;
  const uint result = (uint)get_local_id(0) / 1;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 256 + result;
  int any_0 = 0;
  if (output < out_n) {
    const uint out_index0 = (uint)output;
    const __global uchar *x_row = x + out_index0 * x_out_stride0;
    int any_0_part[4];
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      any_0_part[k] = 0;
    }
    for (long start = (long)split * 4; start < n; start += (long)splits * 4) {
      const uint left = n - start < 4 ? (uint)(n - start) : 4;
      const __global uchar *x_tile = x_row + start;
      if (left == 4) {
        #pragma unroll
        for (uint k = 0; k < 4; ++k) {
          const uint i = k * 1 + lane;
          const int x_i = x_tile[i] != 0;
          any_0_part[k % 4] = any_0_part[k % 4] | x_i;
        }
      } else {
        for (uint i = lane; i < left; i += 1) {
          const int x_i = x_tile[i] != 0;
          any_0 = any_0 | x_i;
        }
      }
    }
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      any_0 = any_0 | any_0_part[k];
    }
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 256 + result].any_0 = any_0;
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0)
    ticket = atomic_add(tickets + tile, 1u);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint count = ticket == splits - 1 ? splits : 0;
  any_0 = 0;
  for (uint other = lane; other < count; other += 1) {
    const long at = ((long)tile * splits + other) * 256 + result;
    any_0 = any_0 | (partials[at].any_0);
  }
  if (count > 0 && (uint)get_local_id(0) == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const uint out_index0 = (uint)output;
    __global uchar *z_row = z + out_index0 * z_out_stride0;
    z_row[0] = any_0;
  }
}
