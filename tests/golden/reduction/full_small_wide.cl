// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, linear loop, wide schedule, work-items on a result: 256
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

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sum_f32(
    const __global float *x, long x_offset, __global float *restrict z, long z_offset, long out_n,
    long n) {
  x += x_offset;
  z += z_offset;
  __local float sum_0_shared[256];
  __local float sum_0_left_out_shared[256];
  const uint lane = (uint)get_local_id(0) % 256;
  const uint result = (uint)get_local_id(0) / 256;
  const uint tile = (uint)get_group_id(0);
  const long output = (long)tile * 1 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  if (output < out_n) {
    const __global float *x_row = x;
    float sum_0_part[4];
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long start = (long)0 * 1024;
    while (start < n) {
      for (uint turn = 0; turn < 4 && start < n; ++turn, start += (long)1 * 1024) {
        const uint left = n - start < 1024 ? (uint)(n - start) : 1024;
        const __global float *x_tile = x_row + start;
        if (left == 1024) {
          #pragma unroll
          for (uint k = 0; k < 1; ++k) {
            const uint i = (k * 256 + lane) * 4;
            const float32_x4 x_in = *(const __global float32_x4 *)(x_tile + i);
            #pragma unroll
            for (uint j = 0; j < 4; ++j) {
              const float x_i = x_in.at[j];
              sum_0_part[j % 4] = sum_0_part[j % 4] + x_i;
            }
          }
        } else {
          for (uint i = lane; i < left; i += 256) {
            const float x_i = x_tile[i];
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
  if (lane == 0 && output < out_n) {
    __global float *z_row = z;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
