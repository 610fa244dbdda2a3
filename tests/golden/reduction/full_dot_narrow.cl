// multiply_sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(x0, x1)
//   z = sum_0
// rows, linear loop, narrow schedule, results are shared by groups
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
  float sum_0_left_out = 0.0f;
  float sum_0_total[128];
  float sum_0_left_out_total[128];
  for (uint k = 0; k < 128; ++k) {
    sum_0_total[k] = 0.0f;
    sum_0_left_out_total[k] = 0.0f;
  }
  const long start = (long)split * piece_length;
  const long end = n - start < piece_length ? n : start + piece_length;
  long i = start;
  for (; i + 2048 <= end; i += 2048) {
    for (uint k = 0; k < 128; ++k) {
      float sum_0_runs = 0.0f;
      #pragma unroll
      for (uint r = 0; r < 4; ++r) {
        float sum_0_run = 0.0f;
        #pragma unroll
        for (uint t = 0; t < 4; ++t) {
          const float x0_i = x0_row[(i + (r * 4 + t) * 128 + k)];
          const float x1_i = x1_row[(i + (r * 4 + t) * 128 + k)];
          const float multiply_3 = x0_i * x1_i;
          sum_0_run = sum_0_run + multiply_3;
        }
        sum_0_runs = sum_0_runs + sum_0_run;
      }
      {
        const float addend = sum_0_runs;
        const float total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float32(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
    }
  }
  for (; i < end; i += 128) {
    const uint left = end - i < 128 ? (uint)(end - i) : 128;
    for (uint k = 0; k < left; ++k) {
      const float x0_i = x0_row[(i + k)];
      const float x1_i = x1_row[(i + k)];
      const float multiply_3 = x0_i * x1_i;
      {
        const float addend = multiply_3;
        const float total = sum_0_total[k] + addend;
        sum_0_left_out_total[k] = sum_0_left_out_total[k] + treadle_left_out_float32(sum_0_total[k], addend, total);
        sum_0_total[k] = total;
      }
    }
  }
  for (uint k = 0; k < 128; ++k) {
    {
      const float addend = sum_0_total[k];
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_total[k]));
      sum_0 = total;
    }
  }
  partials[(uint)get_group_id(0)].sum_0 = sum_0;
  partials[(uint)get_group_id(0)].sum_0_left_out = sum_0_left_out;
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (atomic_add(tickets + tile, 1u) == splits - 1) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    tickets[tile] = 0;
    sum_0 = 0.0f;
    sum_0_left_out = 0.0f;
    for (uint other = 0; other < splits; ++other) {
      {
        const float addend = partials[(long)tile * splits + other].sum_0;
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + (partials[(long)tile * splits + other].sum_0_left_out)));
        sum_0 = total;
      }
    }
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
