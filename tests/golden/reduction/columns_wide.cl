// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// columns, linear loop, wide schedule, work-items on a result: 4, results are shared by groups
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

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sum_f32(
    const __global float *x, long x_offset, __global float *restrict z, long z_offset, long out_n,
    long x_out_stride0, long z_out_stride0, long n, long x_step, uint splits,
    __global partial *partials, __global uint *tickets) {
  x += x_offset;
  z += z_offset;
  __local float sum_0_shared[256];
  __local float sum_0_left_out_shared[256];
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) / 64;
  const uint result = (uint)get_local_id(0) % 64;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 64 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  if (output < out_n) {
    const uint out_index0 = (uint)output;
    const __global float *x_row = x + out_index0 * x_out_stride0;
    float sum_0_part[8];
    #pragma unroll
    for (uint k = 0; k < 8; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long start = (long)split * 32;
    while (start < n) {
      for (uint turn = 0; turn < 4 && start < n; ++turn, start += (long)splits * 32) {
        const uint left = n - start < 32 ? (uint)(n - start) : 32;
        const __global float *x_tile = x_row + start * x_step;
        if (left == 32) {
          #pragma unroll
          for (uint k = 0; k < 8; ++k) {
            const uint i = k * 4 + lane;
            const float x_i = x_tile[i * x_step];
            sum_0_part[k % 8] = sum_0_part[k % 8] + x_i;
          }
        } else {
          for (uint i = lane; i < left; i += 4) {
            const float x_i = x_tile[i * x_step];
            {
              const float addend = x_i;
              const float total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
              sum_0 = total;
            }
          }
        }
      }
      #pragma unroll
      for (uint k = 0; k < 8; ++k) {
        {
          const float addend = sum_0_part[k];
          const float total = sum_0 + addend;
          sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
          sum_0 = total;
        }
        sum_0_part[k] = 0.0f;
      }
    }
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 2; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[(uint)get_local_id(0) + step * 64];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step * 64]));
        sum_0 = total;
      }
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 64 + result].sum_0 = sum_0;
    partials[(long)(uint)get_group_id(0) * 64 + result].sum_0_left_out = sum_0_left_out;
  }
  // What a group has written is seen by whoever takes a later ticket.
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if ((uint)get_local_id(0) == 0)
    ticket = atomic_add(tickets + tile, 1u);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint count = ticket == splits - 1 ? splits : 0;
  sum_0 = 0.0f;
  sum_0_left_out = 0.0f;
  for (uint other = lane; other < count; other += 4) {
    const long at = ((long)tile * splits + other) * 64 + result;
    {
      const float addend = partials[at].sum_0;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + (partials[at].sum_0_left_out)));
      sum_0 = total;
    }
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 2; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[(uint)get_local_id(0) + step * 64];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step * 64]));
        sum_0 = total;
      }
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (count > 0 && (uint)get_local_id(0) == 0)
    tickets[tile] = 0;
  if (count > 0 && lane == 0 && output < out_n) {
    const uint out_index0 = (uint)output;
    __global float *z_row = z + out_index0 * z_out_stride0;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
