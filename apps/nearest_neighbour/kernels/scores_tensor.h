// SPDX-License-Identifier: MIT
// scores.h by the matrix units of CUDA devices, from compute capability 8 on. Data are prepared
// with TENSOR 1, rounded to the 11 digits of tf32: products are exact then, and sums those of
// float32.
//
//   DIMENSIONS CHUNK   of the data, a multiple of 8, and neighbours of a chunk
//   WARPS TILES        warps of a block, and 16 targets each that a warp keeps in registers
//   ROWS               neighbours in shared memory at a time
//
// Sums begin with the norms, of which each column is a copy: a matrix whose columns lie in one
// place.
#include <mma.h>

#define STEPS (DIMENSIONS / 8)
// Rows of shared memory begin four banks apart: 8 rows of 4 numbers are read at a time.
#define ROW_STRIDE (DIMENSIONS + 4)

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    scores(float* __restrict__ minima, const float* __restrict__ targets,
           const float* __restrict__ neighbours, const float* __restrict__ norms, int stride) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) float near[ROWS * ROW_STRIDE];
  __shared__ __align__(32) float tiles[WARPS][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first_target = (blockIdx.x * WARPS + warp) * 16 * TILES;
  fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> target[TILES][STEPS];
  fragment<accumulator, 16, 16, 8, float> least[TILES];
#pragma unroll
  for (int t = 0; t < TILES; ++t) {
    fill_fragment(least[t], __int_as_float(0x7f800000));
#pragma unroll
    for (int k = 0; k < STEPS; ++k)
      load_matrix_sync(target[t][k], targets + (long long)(8 * k) * stride + first_target + 16 * t,
                       stride);
  }
  for (int row = 0; row < CHUNK; row += ROWS) {
    const long long first = (long long)blockIdx.y * CHUNK + row;
    const float4* from = reinterpret_cast<const float4*>(neighbours + first * DIMENSIONS);
    __syncthreads();
    for (int k = threadIdx.x; k < ROWS * DIMENSIONS / 4; k += 32 * WARPS)
      reinterpret_cast<float4*>(near + k / (DIMENSIONS / 4) * ROW_STRIDE)[k % (DIMENSIONS / 4)] =
          from[k];
    __syncthreads();
#pragma unroll 1
    for (int part = 0; part < ROWS; part += 16) {
      fragment<accumulator, 16, 16, 8, float> sum[TILES];
#pragma unroll
      for (int t = 0; t < TILES; ++t)
        load_matrix_sync(sum[t], norms + first + part, 0, mem_col_major);
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> neighbour;
        load_matrix_sync(neighbour, near + part * ROW_STRIDE + 8 * k, ROW_STRIDE);
#pragma unroll
        for (int t = 0; t < TILES; ++t) mma_sync(sum[t], neighbour, target[t][k], sum[t]);
      }
#pragma unroll
      for (int t = 0; t < TILES; ++t)
#pragma unroll
        for (int k = 0; k < sum[t].num_elements; ++k)
          least[t].x[k] = fminf(least[t].x[k], sum[t].x[k]);
    }
  }
#pragma unroll
  for (int t = 0; t < TILES; ++t) {
    store_matrix_sync(tiles[warp], least[t], 16, mem_col_major);
    __syncwarp();
    if (lane < 16) {
      float all = tiles[warp][16 * lane];
      for (int k = 1; k < 16; ++k) all = fminf(all, tiles[warp][16 * lane + k]);
      minima[(long long)blockIdx.y * stride + first_target + 16 * t + lane] = all;
    }
    __syncwarp();
  }
}
