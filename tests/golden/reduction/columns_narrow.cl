// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// columns, strided loop, narrow schedule, results are shared by groups
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  float sum_0;
} partial;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) sum_f32(
    const __global float *x, long x_offset, __global float *restrict z, long z_offset,
    long out_inner, long out_row_pieces, long n, long x_stride0, long group_pieces, uint splits,
    __global partial *partials, __global uint *tickets) {
  x += x_offset;
  z += z_offset;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long line = tile / out_row_pieces;
  const long start = (tile - line * out_row_pieces) * 1024;
  const long width = out_inner - start < 1024 ? out_inner - start : 1024;
  const __global float *x_row = x + start;
  __global float *z_row = z + start;
  float sum_0_part[1024];
  for (uint k = 0; k < 1024; ++k) {
    sum_0_part[k] = 0.0f;
  }
  const long first = (long)split * group_pieces;
  const long last = n - first < group_pieces ? n : first + group_pieces;
  for (long i = first; i < last; ++i) {
    const long index0 = i;
    const __global float *x_tile = x_row + index0 * x_stride0;
    for (long k = 0; k < width; ++k) {
      const float x_i = x_tile[k];
      sum_0_part[k] = sum_0_part[k] + x_i;
    }
  }
  for (long k = 0; k < width; ++k) {
    partials[(long)(uint)get_group_id(0) * 1024 + k].sum_0 = sum_0_part[k];
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    for (long k = 0; k < width; ++k) {
      sum_0_part[k] = 0.0f;
    }
    for (uint other = 0; other < splits; ++other) {
      for (long k = 0; k < width; ++k) {
        sum_0_part[k] = sum_0_part[k] + (partials[((long)tile * splits + other) * 1024 + k].sum_0);
      }
    }
    for (long k = 0; k < width; ++k) {
      const float sum_0 = sum_0_part[k];
      z_row[k] = sum_0;
    }
  }
}
