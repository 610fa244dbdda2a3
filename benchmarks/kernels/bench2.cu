// SPDX-License-Identifier: MIT
// Kernels with dynamic shared memory, shared atomics, transposition, scan, divergence and shuffles.
extern "C" __global__ void nbody(float4* acceleration, const float4* body, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += blockDim.x) {
    tile[threadIdx.x] = body[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) {
      float4 other = tile[j];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      float weight = other.w * inverse * inverse * inverse;
      ax += dx * weight;
      ay += dy * weight;
      az += dz * weight;
    }
    __syncthreads();
  }
  acceleration[i] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void naive_matmul(float* c, const float* a, const float* b, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

extern "C" __global__ void histogram(unsigned* counts, const unsigned char* data, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void scan(int* out, const int* in) {
  __shared__ int sums[2][256];
  int t = threadIdx.x, base = blockIdx.x * 256, now = 0;
  sums[0][t] = in[base + t];
  __syncthreads();
  for (int distance = 1; distance < 256; distance <<= 1) {
    sums[1 - now][t] = t >= distance ? sums[now][t] + sums[now][t - distance] : sums[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[base + t] = sums[now][t];
}

extern "C" __global__ void mandelbrot(int* out, int width, int height, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float cr = -2.f + 3.f * x / width, ci = -1.f + 2.f * y / height, zr = 0, zi = 0;
  int steps = 0;
  while (steps < limit && zr * zr + zi * zi < 4.f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    steps++;
  }
  out[y * width + x] = steps;
}

extern "C" __global__ void shuffle_sum(float* out, const float* in, int n) {
  __shared__ float warp_sums[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if ((threadIdx.x & 31) == 0) warp_sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = warp_sums[threadIdx.x];
    for (int d = 4; d > 0; d >>= 1) sum += __shfl_down_sync(0xffu, sum, d, 8);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}
