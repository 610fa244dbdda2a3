// SPDX-License-Identifier: MIT
// layer_norm.cu on pairs of halves, summed in float.
#include <cuda_fp16.h>

template <int lanes>
__device__ float sum_of_lanes(float value) {
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2)
    value += __shfl_down_sync(0xffffffffu, value, step, lanes);
  return __shfl_sync(0xffffffffu, value, 0, lanes);
}

__device__ float sum_of_block(float value) {
  __shared__ float of_warps[32];
  value = sum_of_lanes<32>(value);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? of_warps[threadIdx.x % 32] : 0.0f;
  value = sum_of_lanes<32>(value);
  __syncthreads();
  return value;
}

extern "C" __global__ void layer_norm_half(__half* out, const __half* in, const __half* scale,
                                           const __half* shift, int width, float epsilon) {
  const int pairs = width / 2;
  const __half2* row = reinterpret_cast<const __half2*>(in) + (size_t)blockIdx.x * pairs;
  __half2* target = reinterpret_cast<__half2*>(out) + (size_t)blockIdx.x * pairs;
  const __half2* w = reinterpret_cast<const __half2*>(scale);
  const __half2* c = reinterpret_cast<const __half2*>(shift);

  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(row[i]);
    sum += v.x + v.y;
  }
  const float mean = sum_of_block(sum) / width;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = __half22float2(row[i]);
    squares += (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean);
  }
  const float inverse = rsqrtf(sum_of_block(squares) / width + epsilon);

  const __half2 mean2 = __float2half2_rn(mean), inverse2 = __float2half2_rn(inverse);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x)
    target[i] = __hfma2(__hmul2(__hsub2(row[i], mean2), inverse2), w[i], c[i]);
}
