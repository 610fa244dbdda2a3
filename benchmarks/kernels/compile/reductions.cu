// SPDX-License-Identifier: MIT
// Sums by seven algorithms, ten sizes of blocks and three types: 210 kernels of one text, as
// programs have them that choose the size of a block at run time and tell the compiler.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ double memory[];
  return reinterpret_cast<T*>(memory);
}

template <class T>
__device__ T sum_of_warp(unsigned mask, T value) {
  for (int step = warpSize / 2; step > 0; step /= 2) value += __shfl_down_sync(mask, value, step);
  return value;
}

// Neighbours first: threads that work are far apart.
template <class T, unsigned size>
__global__ void sum_interleaved(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * size + t;
  part[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned step = 1; step < size; step *= 2) {
    if (t % (2 * step) == 0) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// The same pairs by threads that lie together.
template <class T, unsigned size>
__global__ void sum_strided(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * size + t;
  part[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const unsigned at = 2 * step * t;
    if (at < blockDim.x) part[at] += part[at + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Halves.
template <class T, unsigned size>
__global__ void sum_halves(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * size + t;
  part[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Two elements are added while they are loaded.
template <class T, unsigned size>
__global__ void sum_two_loads(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * size * 2 + t;
  T own = i < n ? in[i] : T(0);
  if (i + size < n) own += in[i + size];
  part[t] = own;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) part[t] = own = own + part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = own;
}

// The last warp by shuffles.
template <class T, unsigned size>
__global__ void sum_last_warp(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * size * 2 + t;
  T own = i < n ? in[i] : T(0);
  if (i + size < n) own += in[i + size];
  part[t] = own;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half >>= 1) {
    if (t < half) part[t] = own = own + part[t + half];
    __syncthreads();
  }
  if (t < 32) {
    if (size >= 64) own += part[t + 32];
    own = sum_of_warp(0xffffffffu, own);
  }
  if (t == 0) out[blockIdx.x] = own;
}

// Every step written out.
template <class T, unsigned size>
__global__ void sum_written_out(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, i = blockIdx.x * size * 2 + t;
  T own = i < n ? in[i] : T(0);
  if (i + size < n) own += in[i + size];
  part[t] = own;
  __syncthreads();
  if (size >= 1024 && t < 512) part[t] = own = own + part[t + 512];
  __syncthreads();
  if (size >= 512 && t < 256) part[t] = own = own + part[t + 256];
  __syncthreads();
  if (size >= 256 && t < 128) part[t] = own = own + part[t + 128];
  __syncthreads();
  if (size >= 128 && t < 64) part[t] = own = own + part[t + 64];
  __syncthreads();
  if (t < 32) {
    if (size >= 64) own += part[t + 32];
    own = sum_of_warp(0xffffffffu, own);
  }
  if (t == 0) out[blockIdx.x] = own;
}

// Many elements a thread, then warps, then the warps' sums.
template <class T, unsigned size>
__global__ void sum_grid_stride(const T* in, T* out, unsigned n) {
  T* part = shared_memory<T>();
  const unsigned t = threadIdx.x, stride = size * 2 * gridDim.x;
  T own = T(0);
  for (unsigned i = blockIdx.x * size * 2 + t; i < n; i += stride) {
    own += in[i];
    if (i + size < n) own += in[i + size];
  }
  own = sum_of_warp(0xffffffffu, own);
  if (t % 32 == 0) part[t / 32] = own;
  __syncthreads();
  const unsigned warps = size < 32 ? 1 : size / 32;
  const unsigned mask = __ballot_sync(0xffffffffu, t < warps);
  if (t < warps) {
    own = part[t];
    own = sum_of_warp(mask, own);
  }
  if (t == 0) out[blockIdx.x] = own;
}

#define INSTANCE(T, size)                                                     \
  template __global__ void sum_interleaved<T, size>(const T*, T*, unsigned);  \
  template __global__ void sum_strided<T, size>(const T*, T*, unsigned);      \
  template __global__ void sum_halves<T, size>(const T*, T*, unsigned);       \
  template __global__ void sum_two_loads<T, size>(const T*, T*, unsigned);    \
  template __global__ void sum_last_warp<T, size>(const T*, T*, unsigned);    \
  template __global__ void sum_written_out<T, size>(const T*, T*, unsigned);  \
  template __global__ void sum_grid_stride<T, size>(const T*, T*, unsigned);
#define INSTANCES(T)                                                                 \
  INSTANCE(T, 1) INSTANCE(T, 2) INSTANCE(T, 4) INSTANCE(T, 8) INSTANCE(T, 16)        \
  INSTANCE(T, 32) INSTANCE(T, 64) INSTANCE(T, 128) INSTANCE(T, 256) INSTANCE(T, 512)
INSTANCES(int)
INSTANCES(float)
INSTANCES(double)
