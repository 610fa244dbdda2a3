// sum_f32, made by treadle's reduction generator:
//   sum_0 = sum of x
//   z = sum_0
// rows, linear loop, wide schedule, work-items on a result: 256
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

extern "C" __global__ void __launch_bounds__(256) sum_f32(
    const float *x, float *__restrict__ z, long long out_n, long long n) {
  __shared__ float sum_0_shared[8];
  __shared__ float sum_0_left_out_shared[8];
  const unsigned int lane = threadIdx.x % 256;
  const unsigned int result = threadIdx.x / 256;
  const unsigned int tile = blockIdx.x;
  const long long output = (long long)tile * 1 + result;
  float sum_0 = 0.0f;
  float sum_0_left_out = 0.0f;
  if (output < out_n) {
    const float *x_row = x;
    float sum_0_part[4];
    #pragma unroll
    for (unsigned int k = 0; k < 4; ++k) {
      sum_0_part[k] = 0.0f;
    }
    long long start = (long long)0 * 1024;
    while (start < n) {
      for (unsigned int turn = 0; turn < 4 && start < n; ++turn, start += (long long)1 * 1024) {
        const unsigned int left = n - start < 1024 ? (unsigned int)(n - start) : 1024;
        const float *x_tile = x_row + start;
        if (left == 1024) {
          #pragma unroll
          for (unsigned int k = 0; k < 1; ++k) {
            const unsigned int i = (k * 256 + lane) * 4;
            const float32_x4 x_in = *(const float32_x4 *)(x_tile + i);
            #pragma unroll
            for (unsigned int j = 0; j < 4; ++j) {
              const float x_i = x_in.at[j];
              sum_0_part[j % 4] = sum_0_part[j % 4] + x_i;
            }
          }
        } else {
          for (unsigned int i = lane; i < left; i += 256) {
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
  }
  #pragma unroll
  for (unsigned int step = 16; step > 0; step /= 2) {
    const float sum_0_other = __shfl_down_sync(0xffffffffu, sum_0, step);
    const float sum_0_left_out_other = __shfl_down_sync(0xffffffffu, sum_0_left_out, step);
    {
      const float addend = sum_0_other;
      const float total = sum_0 + addend;
      sum_0_left_out = sum_0_left_out + ((treadle_left_out_float32(sum_0, addend, total) + sum_0_left_out_other));
      sum_0 = total;
    }
  }
  if (lane % 32 == 0) {
    sum_0_shared[threadIdx.x / 32] = sum_0;
    sum_0_left_out_shared[threadIdx.x / 32] = sum_0_left_out;
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
    }
  }
  if (lane == 0 && output < out_n) {
    float *z_row = z;
    sum_0 = treadle_settled_float32(sum_0, sum_0_left_out);
    z_row[0] = sum_0;
  }
}
