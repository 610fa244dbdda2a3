// SPDX-License-Identifier: MIT
// bench.cu and product.cu in OpenCL C, for PoCL.
__kernel void saxpy(__global float* y, __global const float* x, float a, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void transcendental(__global float* y, __global const float* x, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = sin(x[i]) * exp(-x[i]) + log(x[i] + 1.0f);
}

#define TILE 16
__kernel void matmul(__global float* c, __global const float* a, __global const float* b, int n) {
  __local float a_tile[TILE][TILE], b_tile[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1), row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (int tile = 0; tile < n / TILE; tile++) {
    a_tile[ty][tx] = a[row * n + tile * TILE + tx];
    b_tile[ty][tx] = b[(tile * TILE + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += a_tile[ty][k] * b_tile[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

__kernel void reduce(__global float* out, __global const float* x, int n) {
  __local float partial[256];
  int t = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = 128; half_size > 0; half_size >>= 1) {
    if (t < half_size) partial[t] += partial[t + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = partial[0];
}

__kernel void stencil(__global float* out, __global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    out[y * width + x] = 0.2f * (in[y * width + x] + in[y * width + x - 1] + in[y * width + x + 1] +
                                 in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

#define N 1024
#define BLOCK_SIZE 32
__kernel void product(__global const double* a, __global const double* b, __global double* c) {
  __local double a_tile[BLOCK_SIZE][BLOCK_SIZE], b_tile[BLOCK_SIZE][BLOCK_SIZE];
  uint tx = get_local_id(0), ty = get_local_id(1), row = get_global_id(1), column = get_global_id(0);
  double sum = 0;
  for (uint tile = 0; tile < N / BLOCK_SIZE; ++tile) {
    a_tile[ty][tx] = a[row * N + tile * BLOCK_SIZE + tx];
    b_tile[ty][tx] = b[(tile * BLOCK_SIZE + ty) * N + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK_SIZE; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * N + column] = sum;
}
