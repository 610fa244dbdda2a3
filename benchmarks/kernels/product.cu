// SPDX-License-Identifier: MIT
// The demo's product: float64, N = 1024, tiles of 32 x 32 (examples/python/tiled_product.py).
#define N 1024
#define BLOCK_SIZE 32
extern "C" __global__ void product(const double* a, const double* b, double* c) {
  __shared__ double a_tile[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ double b_tile[BLOCK_SIZE][BLOCK_SIZE];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned row = blockIdx.y * BLOCK_SIZE + ty, column = blockIdx.x * BLOCK_SIZE + tx;
  double sum = 0;
  for (unsigned tile = 0; tile < N / BLOCK_SIZE; ++tile) {
    a_tile[ty][tx] = a[row * N + tile * BLOCK_SIZE + tx];
    b_tile[ty][tx] = b[(tile * BLOCK_SIZE + ty) * N + column];
    __syncthreads();
    for (unsigned k = 0; k < BLOCK_SIZE; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  c[row * N + column] = sum;
}
