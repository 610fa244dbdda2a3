// SPDX-License-Identifier: MIT
// How near the nearest neighbour of each target may be, chunk by chunk of the neighbours:
//
//   minima[chunk][target] = least of |b|^2 - 2 a b over the neighbours b of the chunk
//
// which is the distance squared without |a|^2. Rounding makes it a little wrong; rescan.h computes
// the distances of the chunks that may have the nearest one. Macros:
//
//   DIMENSIONS CHUNK             of the data, and neighbours of a chunk
//   ACROSS DOWN                  work-items of a group: along targets, along neighbours
//   LANES                        targets of a vector: 1 on GPUs, 4, 8 or 16 on processors
//   TARGETS_EACH NEIGHBOURS_EACH vectors of targets and neighbours of a work-item at a time
//   DEPTH                        dimensions of neighbours in local memory at a time; STAGED 0: none
//   UNROLL RESIDENT              dimensions that are unrolled; groups that a compute unit is to
//   hold
//
// A group has a tile of targets in local memory and goes through a chunk of neighbours:
//
//               | LANES * ACROSS * TARGETS_EACH targets |
//    DOWN *     |  a work-item has NEIGHBOURS_EACH x    |    Example: 8 x 8 sums of a work-item
//    NEIGHBOURS |  TARGETS_EACH sums, of which it keeps |    take 16 numbers from local memory for
//    _EACH      |  the least of each column             |    64 multiply-adds.
#include "treadle/dialect.h"

// A work-item that is alone waits for nobody, and its sums stay in registers.
#if ACROSS * DOWN == 1
#define WAIT()
#else
#define WAIT() treadle_barrier()
#endif
#define TILE (LANES * ACROSS * TARGETS_EACH)
#define ROWS (DOWN * NEIGHBOURS_EACH)

#if LANES == 1
typedef float lanes;
#define LOAD(pointer) (*(pointer))
#define STORE(pointer, value) (*(pointer) = (value))
#define SPREAD(value) (value)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#define LESSER(a, b) fmin(a, b)
#else
#define JOINED(a, b) JOINED_(a, b)
#define JOINED_(a, b) a##b
#define SPREAD(value) ((lanes)(value))
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#ifdef __OPENCL_VERSION__
typedef JOINED(float, LANES) lanes;
#define LOAD(pointer) JOINED(vload, LANES)(0, pointer)
#define STORE(pointer, value) JOINED(vstore, LANES)(value, 0, pointer)
#define LESSER(a, b) fmin(a, b)
#else
typedef float lanes __attribute__((ext_vector_type(LANES)));
typedef float loose_lanes __attribute__((ext_vector_type(LANES), aligned(4)));
#define LOAD(pointer) ((lanes)(*(const loose_lanes*)(pointer)))
#define STORE(pointer, value) (*(loose_lanes*)(pointer) = (value))
#define LESSER(a, b) __builtin_elementwise_min(a, b)
#endif
#endif

// Where a work-item's vector t of targets lies in the tile: four of them one behind the other,
// where that is one load.
#if LANES == 1 && TARGETS_EACH % 4 == 0
#define PLACE(t) (((t) / 4 * ACROSS + x) * 4 + (t) % 4)
#else
#define PLACE(t) (((t) * ACROSS + x) * LANES)
#endif

// neighbours: -2 b, a row each; norms: |b|^2; targets: dimension by dimension, `stride` apart.
TREADLE_KERNEL TREADLE_GROUPS_OF((ACROSS) * (DOWN), RESIDENT)
    scores(TREADLE_GLOBAL float* TREADLE_RESTRICT minima,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT targets,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT neighbours,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT norms, int stride) {
  TREADLE_LOCAL float near_targets[DIMENSIONS * TILE] __attribute__((aligned(64)));
#if STAGED
  TREADLE_LOCAL float near_neighbours[DEPTH * ROWS] __attribute__((aligned(16)));
#endif
#if DOWN > 1
  TREADLE_LOCAL float least_of[DOWN * TILE];
#endif
  const int item = treadle_local_id(0), x = item % ACROSS, y = item / ACROSS;
  const int first_target = treadle_group_id(0) * TILE, chunk = treadle_group_id(1);
  for (int k = item; k < DIMENSIONS * TILE; k += ACROSS * DOWN)
    near_targets[k] = targets[(treadle_int64)(k / TILE) * stride + first_target + k % TILE];
  WAIT();

  lanes least[TARGETS_EACH];
#pragma unroll
  for (int t = 0; t < TARGETS_EACH; ++t) least[t] = SPREAD(TREADLE_INFINITY);
  for (int row = 0; row < CHUNK; row += ROWS) {
    const treadle_int64 first = (treadle_int64)chunk * CHUNK + row;
    lanes sum[NEIGHBOURS_EACH][TARGETS_EACH];
#pragma unroll
    for (int n = 0; n < NEIGHBOURS_EACH; ++n) {
      const lanes norm = SPREAD(norms[first + y * NEIGHBOURS_EACH + n]);
#pragma unroll
      for (int t = 0; t < TARGETS_EACH; ++t) sum[n][t] = norm;
    }
    for (int begin = 0; begin < DIMENSIONS; begin += DEPTH) {
#if STAGED
      for (int k = item; k < DEPTH * ROWS; k += ACROSS * DOWN)
        near_neighbours[k % DEPTH * ROWS + k / DEPTH] =
            neighbours[(first + k / DEPTH) * DIMENSIONS + begin + k % DEPTH];
      WAIT();
#endif
#pragma unroll UNROLL
      for (int d = 0; d < DEPTH; ++d) {
        lanes target[TARGETS_EACH];
#pragma unroll
        for (int t = 0; t < TARGETS_EACH; ++t)
          target[t] = LOAD(near_targets + (begin + d) * TILE + PLACE(t));
#pragma unroll
        for (int n = 0; n < NEIGHBOURS_EACH; ++n) {
#if STAGED
          const lanes neighbour = SPREAD(near_neighbours[d * ROWS + y * NEIGHBOURS_EACH + n]);
#else
          const lanes neighbour =
              SPREAD(neighbours[(first + y * NEIGHBOURS_EACH + n) * DIMENSIONS + begin + d]);
#endif
#pragma unroll
          for (int t = 0; t < TARGETS_EACH; ++t)
            sum[n][t] = MULTIPLY_ADD(target[t], neighbour, sum[n][t]);
        }
      }
#if STAGED
      WAIT();
#endif
    }
#pragma unroll
    for (int n = 0; n < NEIGHBOURS_EACH; ++n)
#pragma unroll
      for (int t = 0; t < TARGETS_EACH; ++t) least[t] = LESSER(least[t], sum[n][t]);
  }
  TREADLE_GLOBAL float* to = minima + (treadle_int64)chunk * stride + first_target;
#if DOWN > 1
#pragma unroll
  for (int t = 0; t < TARGETS_EACH; ++t) STORE(least_of + y * TILE + PLACE(t), least[t]);
  WAIT();
  for (int t = item; t < TILE; t += ACROSS * DOWN) {
    float all = least_of[t];
    for (int k = 1; k < DOWN; ++k) all = fmin(all, least_of[k * TILE + t]);
    to[t] = all;
  }
#else
#pragma unroll
  for (int t = 0; t < TARGETS_EACH; ++t) STORE(to + PLACE(t), least[t]);
#endif
}
