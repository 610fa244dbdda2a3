// sqrt_multiply_maximum_sum_maximum_sqrt_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(sqrt(x0), x1)
//   maximum_1 = maximum of maximum(sqrt(x0), x1)
//   z0 = sqrt(sum_0)
//   z1 = maximum_1
// rows, linear loop, wide schedule, work-items on a result: 256
#pragma OPENCL FP_CONTRACT OFF
// NaN if either is.
static inline float treadle_maximum_float32(float a, float b)
{
  return a > b || isnan(a) ? a : b;
}

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

__kernel void __attribute__((reqd_work_group_size(256, 1, 1))) sqrt_multiply_maximum_sum_maximum_sqrt_f32(
    const __global float *x0, long x0_offset, const __global float *x1, long x1_offset,
    __global float *restrict z0, long z0_offset, __global float *restrict z1, long z1_offset,
    long out_n, long n) {
  x0 += x0_offset;
  x1 += x1_offset;
  z0 += z0_offset;
  z1 += z1_offset;
  __local float sum_0_shared[256];
  __local float sum_0_left_out_shared[256];
  __local float maximum_1_shared[256];
  const uint lane = (uint)get_local_id(0) % 256;
  const uint result = (uint)get_local_id(0) / 256;
  const uint tile = (uint)get_group_id(0);
  const long output = (long)tile * 1 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  float maximum_1 = -INFINITY;
  if (output < out_n) {
    const __global float *x0_row = x0;
    const __global float *x1_row = x1;
    float sum_0_part[4];
    float maximum_1_part[4];
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0f;
      maximum_1_part[k] = -INFINITY;
    }
    long start = (long)0 * 1024;
    while (start < n) {
      for (uint turn = 0; turn < 4 && start < n; ++turn, start += (long)1 * 1024) {
        const uint left = n - start < 1024 ? (uint)(n - start) : 1024;
        const __global float *x0_tile = x0_row;
        const __global float *x1_tile = x1_row + start;
        const float x0_i = x0_tile[0];
        const float sqrt_3 = sqrt(x0_i);
        if (left == 1024) {
          #pragma unroll
          for (uint k = 0; k < 1; ++k) {
            const uint i = (k * 256 + lane) * 4;
            const float32_x4 x1_in = *(const __global float32_x4 *)(x1_tile + i);
            #pragma unroll
            for (uint j = 0; j < 4; ++j) {
              const float x1_i = x1_in.at[j];
              const float multiply_5 = sqrt_3 * x1_i;
              const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
              sum_0_part[j % 4] = sum_0_part[j % 4] + multiply_5;
              maximum_1_part[j % 4] = treadle_maximum_float32(maximum_1_part[j % 4], maximum_6);
            }
          }
        } else {
          for (uint i = lane; i < left; i += 256) {
            const float x1_i = x1_tile[i];
            const float multiply_5 = sqrt_3 * x1_i;
            const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
            {
              const float addend = multiply_5;
              const float total = sum_0 + addend;
              sum_0_left_out = sum_0_left_out + treadle_left_out_float32(sum_0, addend, total);
              sum_0 = total;
            }
            maximum_1 = treadle_maximum_float32(maximum_1, maximum_6);
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
    #pragma unroll
    for (uint k = 0; k < 4; ++k) {
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_part[k]);
    }
  }
  sum_0_shared[(uint)get_local_id(0)] = sum_0;
  sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
  maximum_1_shared[(uint)get_local_id(0)] = maximum_1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (lane < step) {
      {
        const float addend = sum_0_shared[(uint)get_local_id(0) + step];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[(uint)get_local_id(0) + step]));
        sum_0 = total;
      }
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_shared[(uint)get_local_id(0) + step]);
      sum_0_shared[(uint)get_local_id(0)] = sum_0;
      sum_0_left_out_shared[(uint)get_local_id(0)] = sum_0_left_out;
      maximum_1_shared[(uint)get_local_id(0)] = maximum_1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  if (lane == 0 && output < out_n) {
    __global float *z0_row = z0;
    __global float *z1_row = z1;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    const float sqrt_8 = sqrt(sum_0);
    z0_row[0] = sqrt_8;
    z1_row[0] = maximum_1;
  }
}
