// multiply_sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(x0, x1)
//   z = sum_0
// rows, linear loop, wide schedule, work-items on a result: 256, results are shared by groups
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

typedef struct __attribute__((aligned(16))) {
  float at[4];
} float32_x4;

typedef struct {
  float sum_0;
  float sum_0_left_out;
} partial;

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) multiply_sum_f32(
    const __global float *x0, long x0_offset, const __global float *x1, long x1_offset,
    __global float *restrict z, long z_offset, long out_n, long n, uint splits,
    __global partial *partials, __global uint *tickets) {
  x0 += x0_offset;
  x1 += x1_offset;
  z += z_offset;
  __local float sum_0_shared[256];
  __local float sum_0_left_out_shared[256];
  __local uint ticket;
  const uint lane = (uint)get_local_id(0) % 256;
  const uint result = (uint)get_local_id(0) / 256;
  const uint tile = (uint)get_group_id(0) / splits;
  const uint split = (uint)get_group_id(0) - tile * splits;
  const long output = (long)tile * 1 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  if (output < out_n) {
    const __global float *x0_row = x0;
    const __global float *x1_row = x1;
    float sum_0_part[4];
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long start = (long)split * 1024;
    while (start < n) {
      for (uint turn = 0; turn < 4 && start < n; ++turn, start += (long)splits * 1024) {
        const uint left = n - start < 1024 ? (uint)(n - start) : 1024;
        const __global float *x0_tile = x0_row + start;
        const __global float *x1_tile = x1_row + start;
        if (left == 1024) {
          #pragma unroll
          for (uint k = 0; k < 1; ++k) {
            const uint i = (k * 256 + lane) * 4;
            const float32_x4 x0_in = *(const __global float32_x4 *)(x0_tile + i);
            const float32_x4 x1_in = *(const __global float32_x4 *)(x1_tile + i);
            #pragma unroll
            for (uint j = 0; j < 4; ++j) {
              const float x0_i = x0_in.at[j];
              const float x1_i = x1_in.at[j];
              const float multiply_3 = x0_i * x1_i;
              sum_0_part[j % 4] = sum_0_part[j % 4] + multiply_3;
            }
          }
        } else {
          for (uint i = lane; i < left; i += 256) {
            const float x0_i = x0_tile[i];
            const float x1_i = x1_tile[i];
            const float multiply_3 = x0_i * x1_i;
            {
              const float addend = multiply_3;
              const float total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
              sum_0 = total;
            }
          }
        }
      }
      #pragma unroll
      for (uint k = 0; k < 4; ++k) {
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
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[(uint)get_local_id(0) + step];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step]));
        sum_0 = total;
      }
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0) {
    partials[(long)(uint)get_group_id(0) * 1 + result].sum_0 = sum_0;
    partials[(long)(uint)get_group_id(0) * 1 + result].sum_0_left_out = sum_0_left_out;
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
  for (uint other = lane; other < count; other += 256) {
    const long at = ((long)tile * splits + other) * 1 + result;
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
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[(uint)get_local_id(0) + step];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step]));
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
    __global float *z_row = z;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
