// SPDX-License-Identifier: MIT
// A sum in one launch: the block that finishes last, as a counter behind a fence tells it, adds the
// sums of all blocks. Ten sizes of blocks, any length or a power of two, one launch or two: 40
// kernels.
__device__ unsigned blocks_done = 0;

template <unsigned size>
__device__ float sum_of_block(float own, volatile float* part) {
  const unsigned t = threadIdx.x;
  part[t] = own;
  __syncthreads();
  if (size >= 512) {
    if (t < 256) part[t] = own = own + part[t + 256];
    __syncthreads();
  }
  if (size >= 256) {
    if (t < 128) part[t] = own = own + part[t + 128];
    __syncthreads();
  }
  if (size >= 128) {
    if (t < 64) part[t] = own = own + part[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    if (size >= 64) part[t] = own = own + part[t + 32];
    if (size >= 32) part[t] = own = own + part[t + 16];
    if (size >= 16) part[t] = own = own + part[t + 8];
    if (size >= 8) part[t] = own = own + part[t + 4];
    if (size >= 4) part[t] = own = own + part[t + 2];
    if (size >= 2) part[t] = own = own + part[t + 1];
  }
  return own;
}

template <unsigned size, bool even>
__device__ float sum_of_part(const float* in, unsigned n) {
  float own = 0.0f;
  for (unsigned i = blockIdx.x * size * 2 + threadIdx.x; i < n; i += size * 2 * gridDim.x) {
    own += in[i];
    if (even || i + size < n) own += in[i + size];
  }
  return own;
}

template <unsigned size, bool even>
__global__ void sum_in_two(const float* in, float* out, unsigned n) {
  extern __shared__ float part[];
  const float own = sum_of_block<size>(sum_of_part<size, even>(in, n), part);
  if (threadIdx.x == 0) out[blockIdx.x] = own;
}

template <unsigned size, bool even>
__global__ void sum_in_one(const float* in, volatile float* out, unsigned n) {
  extern __shared__ float part[];
  float own = sum_of_block<size>(sum_of_part<size, even>(in, n), part);
  if (threadIdx.x == 0) out[blockIdx.x] = own;
  if (gridDim.x == 1) return;
  __shared__ bool last;
  __threadfence();
  if (threadIdx.x == 0) last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  own = 0.0f;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += size) own += out[i];
  own = sum_of_block<size>(own, part);
  if (threadIdx.x == 0) {
    out[0] = own;
    blocks_done = 0;
  }
}

#define INSTANCE(size, even)                                                        \
  template __global__ void sum_in_two<size, even>(const float*, float*, unsigned);  \
  template __global__ void sum_in_one<size, even>(const float*, volatile float*, unsigned);
#define INSTANCES(even)                                                              \
  INSTANCE(1, even) INSTANCE(2, even) INSTANCE(4, even) INSTANCE(8, even)            \
  INSTANCE(16, even) INSTANCE(32, even) INSTANCE(64, even) INSTANCE(128, even)       \
  INSTANCE(256, even) INSTANCE(512, even)
INSTANCES(false)
INSTANCES(true)
