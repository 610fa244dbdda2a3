// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// columns, strided loop, narrow schedule, results are shared by groups
#pragma OPENCL FP_CONTRACT OFF
// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static inline float treadle_left_out_float32(float a, float b, float sum)
{
  float of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static inline float treadle_settled_float32(float sum, float left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

typedef struct {
  float sum_0;
  float sum_0_left_out;
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
  float sum_0_total[1024];
  float sum_0_left_out_total[1024];
  for (uint k = 0; k < 1024; ++k) {
    sum_0_part[k] = 0.0f;
    sum_0_total[k] = 0.0f;
    sum_0_left_out_total[k] = 0.0f;
  }
  const long first = (long)split * group_pieces;
  const long last = n - first < group_pieces ? n : first + group_pieces;
  for (long run = first; run < last; run += 16) {
    const long run_end = last - run < 16 ? last : run + 16;
    long i = run;
    for (; i + 4 <= run_end; i += 4) {
      for (long k = 0; k < width; ++k) {
        {
          const long index0 = i;
          const __global float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
        {
          const long index0 = (i + 1);
          const __global float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
        {
          const long index0 = (i + 2);
          const __global float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
        {
          const long index0 = (i + 3);
          const __global float *x_tile = x_row + index0 * x_stride0;
          const float x_i = x_tile[k];
          sum_0_part[k] = sum_0_part[k] + x_i;
        }
      }
    }
    for (; i < run_end; ++i) {
      const long index0 = i;
      const __global float *x_tile = x_row + index0 * x_stride0;
      for (long k = 0; k < width; ++k) {
        const float x_i = x_tile[k];
        sum_0_part[k] = sum_0_part[k] + x_i;
      }
    }
    for (uint k = 0; k < width; ++k) {
      {
        const float addend = sum_0_part[k];
        const float total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float32(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
      sum_0_part[k] = 0.0f;
    }
  }
  for (long k = 0; k < width; ++k) {
    partials[(long)(uint)get_group_id(0) * 1024 + k].sum_0 = sum_0_total[k];
    partials[(long)(uint)get_group_id(0) * 1024 + k].sum_0_left_out = sum_0_left_out_total[k];
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    for (long k = 0; k < width; ++k) {
      sum_0_total[k] = 0.0f;
      sum_0_left_out_total[k] = 0.0f;
    }
    for (uint other = 0; other < splits; ++other) {
      for (long k = 0; k < width; ++k) {
        {
          const float addend = partials[((long)tile * splits + other) * 1024 + k].sum_0;
          const float total = sum_0_total[k] + addend;
          sum_0_left_out_total[k] = sum_0_left_out_total[k] + ((treadle_left_out_float32(sum_0_total[k], addend, total) + (partials[((long)tile * splits + other) * 1024 + k].sum_0_left_out)));
          sum_0_total[k] = total;
        }
      }
    }
    for (long k = 0; k < width; ++k) {
      const float sum_0 = treadle_settled_float32(sum_0_total[k], sum_0_left_out_total[k]);
      z_row[k] = sum_0;
    }
  }
}
