// sqrt_multiply_maximum_sum_maximum_sqrt_f32, made by treadle's reduction generator:
//   sum_0 = sum of multiply(sqrt(x0), x1)
//   maximum_1 = maximum of maximum(sqrt(x0), x1)
//   z0 = sqrt(sum_0)
//   z1 = maximum_1
// rows, linear loop, wide schedule, work-items on a result: 256
// NaN if either is.
static __device__ inline float treadle_maximum_float32(float a, float b)
{
  return a > b || isnan(a) ? a : b;
}

// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static __device__ inline float treadle_left_out_float32(float a, float b, float sum)
{
  float of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
static __device__ inline float treadle_settled_float32(float sum, float left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}

typedef struct __align__(16) {
  float at[4];
} float32_x4;

extern "C" __global__ void __launch_bounds__(256) sqrt_multiply_maximum_sum_maximum_sqrt_f32(
    const float *x0, const float *x1, float *__restrict__ z0, float *__restrict__ z1,
    long long out_n, long long n) {
  __shared__ float sum_0_shared[8];
  __shared__ float sum_0_left_out_shared[8];
  __shared__ float maximum_1_shared[8];
  const unsigned int lane = threadIdx.x % 256;
  const unsigned int result = threadIdx.x / 256;
  const unsigned int tile = blockIdx.x;
  const long long output = (long long)tile * 1 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  float maximum_1 = -__int_as_float(0x7f800000);
  if (output < out_n) {
    const float *x0_row = x0;
    const float *x1_row = x1;
    float sum_0_part[4];
    float maximum_1_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0f;
      maximum_1_part[k] = -__int_as_float(0x7f800000);
    }
    long long start = (long long)0 * 1024;
    while (start < n) {
      for (unsigned int turn = 0; turn < 4 && start < n; ++turn, start += (long long)1 * 1024) {
        const unsigned int left = n - start < 1024 ? (unsigned int)(n - start) : 1024;
        const float *x0_tile = x0_row;
        const float *x1_tile = x1_row + start;
        const float x0_i = x0_tile[0];
        const float sqrt_3 = sqrt(x0_i);
        if (left == 1024) {
          #pragma unroll
          for (unsigned int k = 0; k < 1; ++k) {
            const unsigned int i = (k * 256 + lane) * 4;
            const float32_x4 x1_in = *(const float32_x4 *)(x1_tile + i);
            #pragma unroll
            for (unsigned int j = 0; j < 4; ++j) {
              const float x1_i = x1_in.at[j];
              const float multiply_5 = sqrt_3 * x1_i;
              const float maximum_6 = treadle_maximum_float32(sqrt_3, x1_i);
              sum_0_part[j % 4] = sum_0_part[j % 4] + multiply_5;
              maximum_1_part[j % 4] = treadle_maximum_float32(maximum_1_part[j % 4], maximum_6);
            }
          }
        } else {
          for (unsigned int i = lane; i < left; i += 256) {
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
      for (unsigned int k = 0; k < 4; ++k) {
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
    for (unsigned int k = 0; k < 4; ++k) {
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_part[k]);
    }
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const float sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const float sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    const float maximum_1_other = __shfl_down_sync(0xffffffffu, maximum_1, step);
    {
      const float addend = sum_0_other;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
    maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_other);
  }
  if (lane % 32 == 0) {
    sum_0_shared[threadIdx.x / 32] = sum_0;
    sum_0_left_out_shared[threadIdx.x / 32] = sum_0_left_out;
    maximum_1_shared[threadIdx.x / 32] = maximum_1;
  }
  __syncthreads();
  if (lane == 0) {
    #pragma unroll
    for (unsigned int other = 1; other < 8; ++other) {
      {
        const float addend = sum_0_shared[threadIdx.x / 32 + other];
        const float total = sum_0 + addend;
        sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_shared[threadIdx.x / 32 + other]));
        sum_0 = total;
      }
      maximum_1 = treadle_maximum_float32(maximum_1, maximum_1_shared[threadIdx.x / 32 + other]);
    }
  }
  if (lane == 0 && output < out_n) {
    float *z0_row = z0;
    float *z1_row = z1;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    const float sqrt_8 = sqrt(sum_0);
    z0_row[0] = sqrt_8;
    z1_row[0] = maximum_1;
  }
}
