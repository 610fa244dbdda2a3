// SPDX-License-Identifier: MIT
// Prefix sums: by doubling, up and down a tree with and without padding against bank conflicts, by
// warps' shuffles, and raking, where one warp sums what the others left. For three types.
template <class T, int size>
__global__ void scan_doubling(T* out, const T* in, int n) {
  __shared__ T line[2][size];
  const int t = threadIdx.x;
  int from = 0;
  line[from][t] = t > 0 && t < n ? in[t - 1] : T(0);
  __syncthreads();
  for (int step = 1; step < size; step *= 2) {
    from = 1 - from;
    line[from][t] = line[1 - from][t] + (t >= step ? line[1 - from][t - step] : T(0));
    __syncthreads();
  }
  if (t < n) out[t] = line[from][t];
}

template <bool padded>
__device__ int place(int i) {
  return padded ? i + (i >> 5) : i;
}

template <class T, int size, bool padded>
__global__ void scan_tree(T* out, const T* in, int n) {
  __shared__ T tree[size + size / 16];
  const int t = threadIdx.x, base = blockIdx.x * size;
  const int a = padded ? t : 2 * t, b = padded ? t + size / 2 : 2 * t + 1;
  tree[place<padded>(a)] = base + a < n ? in[base + a] : T(0);
  tree[place<padded>(b)] = base + b < n ? in[base + b] : T(0);
  int step = 1;
  for (int d = size >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d)
      tree[place<padded>(step * (2 * t + 2) - 1)] += tree[place<padded>(step * (2 * t + 1) - 1)];
    step *= 2;
  }
  if (t == 0) tree[place<padded>(size - 1)] = T(0);
  for (int d = 1; d < size; d *= 2) {
    step >>= 1;
    __syncthreads();
    if (t < d) {
      const int low = place<padded>(step * (2 * t + 1) - 1);
      const int high = place<padded>(step * (2 * t + 2) - 1);
      const T left = tree[low];
      tree[low] = tree[high];
      tree[high] += left;
    }
  }
  __syncthreads();
  if (base + a < n) out[base + a] = tree[place<padded>(a)];
  if (base + b < n) out[base + b] = tree[place<padded>(b)];
}

template <class T>
__device__ T scan_of_warp(T value) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

template <class T, int size>
__global__ void scan_warps(T* out, const T* in, T* sums, int n) {
  __shared__ T of_warps[32];
  const int i = blockIdx.x * size + threadIdx.x, warp = threadIdx.x / 32;
  const T own = i < n ? in[i] : T(0);
  T value = scan_of_warp(own);
  if (threadIdx.x % 32 == 31) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) of_warps[threadIdx.x] = scan_of_warp(of_warps[threadIdx.x]);
  __syncthreads();
  if (warp > 0) value += of_warps[warp - 1];
  if (i < n) out[i] = value - own;
  if (threadIdx.x == size - 1) sums[blockIdx.x] = value;
}

template <class T, int size, int items>
__global__ void scan_raking(T* out, const T* in, T* sums, int n) {
  constexpr int segment = size * items / 32;
  __shared__ T line[size * items + 32];
  const int t = threadIdx.x, base = blockIdx.x * size * items;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const int i = k * size + t;
    line[i + i / segment] = base + i < n ? in[base + i] : T(0);
  }
  __syncthreads();
  if (t < 32) {
    T* own = line + t * (segment + 1);
    T sum = T(0);
    for (int k = 0; k < segment; ++k) sum += own[k];
    T before = scan_of_warp(sum);
    if (t == 31) sums[blockIdx.x] = before;
    before -= sum;
    for (int k = 0; k < segment; ++k) {
      const T value = own[k];
      own[k] = before;
      before += value;
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const int i = k * size + t;
    if (base + i < n) out[base + i] = line[i + i / segment];
  }
}

template <class T>
__global__ void add_sums(T* out, const T* sums, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += sums[i / width];
}

#define INSTANCES(T)                                                          \
  template __global__ void scan_doubling<T, 512>(T*, const T*, int);          \
  template __global__ void scan_tree<T, 512, false>(T*, const T*, int);       \
  template __global__ void scan_tree<T, 512, true>(T*, const T*, int);        \
  template __global__ void scan_tree<T, 1024, true>(T*, const T*, int);       \
  template __global__ void scan_warps<T, 1024>(T*, const T*, T*, int);        \
  template __global__ void scan_raking<T, 256, 4>(T*, const T*, T*, int);     \
  template __global__ void add_sums<T>(T*, const T*, int, int);
INSTANCES(int)
INSTANCES(float)
INSTANCES(double)
