// SPDX-License-Identifier: MIT
// Kernels every CPU back end is timed on: streaming, transcendental, tiled, reduction, stencil.
extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void transcendental(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sinf(x[i]) * expf(-x[i]) + logf(x[i] + 1.0f);
}

#define TILE 16
extern "C" __global__ void matmul(float* c, const float* a, const float* b, int n) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int tile = 0; tile < n / TILE; tile++) {
    a_tile[ty][tx] = a[row * n + tile * TILE + tx];
    b_tile[ty][tx] = b[(tile * TILE + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void reduce(float* out, const float* x, int n) {
  __shared__ float partial[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  partial[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

extern "C" __global__ void stencil(float* out, const float* in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    out[y * width + x] = 0.2f * (in[y * width + x] + in[y * width + x - 1] + in[y * width + x + 1] +
                                 in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}
