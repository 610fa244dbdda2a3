// SPDX-License-Identifier: MIT
// One block normalises a row: three strided loops over pairs, two sums of a block by shuffles.
__device__ float sum_of_block(float value, float* of_warps) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  value = lane < (blockDim.x + 31) / 32 ? of_warps[lane] : 0.0f;
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
  __syncthreads();
  return value;
}

extern "C" __global__ void layer_norm(float2* out, const float2* in, const float2* scale,
                                      const float2* shift, int pairs, float epsilon) {
  __shared__ float of_warps[32];
  const float2* row = in + (size_t)blockIdx.x * pairs;
  float2* target = out + (size_t)blockIdx.x * pairs;

  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = row[i];
    sum += v.x + v.y;
  }
  const float mean = sum_of_block(sum, of_warps) / (2 * pairs);

  float squares = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = row[i];
    const float a = v.x - mean, b = v.y - mean;
    squares += a * a + b * b;
  }
  const float inverse = rsqrtf(sum_of_block(squares, of_warps) / (2 * pairs) + epsilon);

  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const float2 v = row[i], w = scale[i], c = shift[i];
    target[i] = make_float2((v.x - mean) * inverse * w.x + c.x, (v.y - mean) * inverse * w.y + c.y);
  }
}
