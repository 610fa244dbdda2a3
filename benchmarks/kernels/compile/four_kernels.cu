// SPDX-License-Identifier: MIT
// Four kernels of medium size, as a text of a small network has them: a product of matrices by
// tiles, a softmax of rows, a sum by warps, and a histogram.
constexpr int tile = 16, bins = 256;

__device__ float sum_of_warp(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

// over 6 parameters because they are not packed
extern "C" __global__ void product(const float* a, const float* b, const float* bias, float* c,
                                   int rows, int columns, int inner) {
  __shared__ float of_a[tile][tile], of_b[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0.0f;
  for (int from = 0; from < inner; from += tile) {
    of_a[y][x] = row < rows && from + x < inner ? a[row * inner + from + x] : 0.0f;
    of_b[y][x] = column < columns && from + y < inner ? b[(from + y) * columns + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += of_a[y][k] * of_b[k][x];
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[row * columns + column] = fmaxf(sum + bias[column], 0.0f);
}

extern "C" __global__ void softmax(float* out, const float* in, int width) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  const float* own_in = in + (size_t)blockIdx.x * width;
  float* own_out = out + (size_t)blockIdx.x * width;
  float largest = -1e30f;
  for (int i = t; i < width; i += blockDim.x) largest = fmaxf(largest, own_in[i]);
  part[t] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  largest = part[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < width; i += blockDim.x) sum += own_out[i] = expf(own_in[i] - largest);
  part[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int i = t; i < width; i += blockDim.x) own_out[i] /= part[0];
}

extern "C" __global__ void squares(double* out, const float4* in, int n) {
  __shared__ float of_warp[32];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = in[i];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0.0f;
    sum = sum_of_warp(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

extern "C" __global__ void histogram(unsigned* counts, const unsigned char* in, int n) {
  __shared__ unsigned own[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x)
    if (own[i] != 0) atomicAdd(&counts[i], own[i]);
}
