// multiply_sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(x0, x1)
//   z = sum_0
// rows, linear loop, narrow schedule, results are shared by groups
#pragma OPENCL FP_CONTRACT OFF
typedef struct {
  float sum_0;
} partial;

__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) multiply_sum_f32(
    const __global float *x0, long x0_offset, const __global float *x1, long x1_offset,
    __global float *restrict z, long z_offset, long n, long piece_length, uint splits,
    __global partial *partials, __global uint *tickets) {
  x0 += x0_offset;
  x1 += x1_offset;
  z += z_offset;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const __global float *x0_row = x0;
  const __global float *x1_row = x1;
  __global float *z_row = z;
  float sum_0 = 0.0f;
  float sum_0_part[128];
  for (uint k = 0; k < 128; ++k) {
    sum_0_part[k] = 0.0f;
  }
  const long start = (long)split * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  long i = start;
  for (; i + 128 <= end; i += 128) {
    for (uint k = 0; k < 128; ++k) {
      const float x0_i = x0_row[(i + k)];
      const float x1_i = x1_row[(i + k)];
      const float multiply_3 = x0_i * x1_i;
      sum_0_part[k] = sum_0_part[k] + multiply_3;
    }
  }
  for (; i < end; ++i) {
    const float x0_i = x0_row[i];
    const float x1_i = x1_row[i];
    const float multiply_3 = x0_i * x1_i;
    sum_0 = sum_0 + multiply_3;
  }
  for (uint k = 0; k < 128; ++k) {
    sum_0 = sum_0 + sum_0_part[k];
  }
  partials[(uint)get_group_id(0)].sum_0 = sum_0;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    sum_0 = 0.0f;
    for (uint other = 0; other < splits; ++other) {
      sum_0 = sum_0 + (partials[(long)tile * splits + other].sum_0);
    }
    z_row[0] = sum_0;
  }
}
