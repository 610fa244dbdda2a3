// SPDX-License-Identifier: MIT
// What stands before scores.h and behind it: data are prepared, and chunks searched in float64.
// Macros: DIMENSIONS, CHUNK, ITEMS, the work-items of a target's group, and TENSOR, whether data
// are rounded for scores_tensor.h.
#include "treadle/dialect.h"

#if ITEMS == 1
#define WAIT()
#else
#define WAIT() treadle_barrier()
#endif

#if TENSOR
// To nearest, ties away from zero; infinities and NaN stay what they are.
#define ROUNDED(value) treadle_as_float((treadle_as_uint(value) + 0x1000u) & 0xffffe000u)
#else
#define ROUNDED(value) (value)
#endif

// Rows of neighbours from `count` on are there to fill a chunk: they are infinitely far away.
TREADLE_KERNEL TREADLE_GROUP_OF(64)
    prepare_neighbours(TREADLE_GLOBAL const float* TREADLE_RESTRICT rows,
                       TREADLE_GLOBAL const float* TREADLE_RESTRICT centre,
                       TREADLE_GLOBAL float* TREADLE_RESTRICT scaled,
                       TREADLE_GLOBAL float* TREADLE_RESTRICT norms,
                       TREADLE_GLOBAL float* TREADLE_RESTRICT largest, int count) {
  TREADLE_LOCAL float norm_of[64];
  const int item = treadle_local_id(0);
  const treadle_int64 begin = 64 * (treadle_int64)treadle_group_id(0), row = begin + item;
  // Neighbouring work-items have neighbouring elements first, and then a row each.
  for (int k = item; k < 64 * DIMENSIONS; k += 64) {
    const treadle_int64 place = begin * DIMENSIONS + k;
    const bool is_there = begin + k / DIMENSIONS < count;
    const float value = is_there ? rows[place] - centre[k % DIMENSIONS] : 0.0f;
    scaled[place] = ROUNDED(-2 * value);
  }
  float sum = 0;
  if (row < count)
    for (int d = 0; d < DIMENSIONS; ++d) {
      const float value = rows[row * DIMENSIONS + d] - centre[d];
      sum = fma(value, value, sum);
    }
  norms[row] = row < count ? sum : TREADLE_INFINITY;
  norm_of[item] = sum;
  treadle_barrier();
  if (item == 0) {
    for (int k = 1; k < 64; ++k) sum = fmax(sum, norm_of[k]);
    treadle_atomic_max_float(largest, sum);
  }
}

// Targets dimension by dimension, `stride` apart; behind the last one is the centre.
TREADLE_KERNEL prepare_targets(TREADLE_GLOBAL const float* TREADLE_RESTRICT rows,
                               TREADLE_GLOBAL const float* TREADLE_RESTRICT centre,
                               TREADLE_GLOBAL float* TREADLE_RESTRICT columns,
                               TREADLE_GLOBAL float* TREADLE_RESTRICT norms, int count,
                               int stride) {
  const int target = treadle_global_id(0);
  float sum = 0;
  for (int d = 0; d < DIMENSIONS; ++d) {
    const float value = target < count ? rows[target * DIMENSIONS + d] - centre[d] : 0.0f;
    columns[(treadle_int64)d * stride + target] = ROUNDED(value);
    sum = fma(value, value, sum);
  }
  norms[target] = sum;
}

TREADLE_FUNCTION double distance_squared(TREADLE_GLOBAL const float* a,
                                         TREADLE_GLOBAL const float* b) {
  double part[4] = {0, 0, 0, 0};
#pragma unroll 4
  for (int d = 0; d < DIMENSIONS; ++d) {
    const double difference = (double)a[d] - (double)b[d];
    part[d % 4] = fma(difference, difference, part[d % 4]);
  }
  return part[0] + part[1] + (part[2] + part[3]);
}

// A group has one target. A chunk is searched if its minimum may be that of the nearest neighbour:
// a score differs from what it stands for by `slack` (|a| + |b|)^2 at most. `first` is the number
// of the first neighbour; earlier calls have left what they found in `best` and `index`.
// over 6 parameters because data, what was found and the bound come from three kernels
TREADLE_KERNEL TREADLE_GROUP_OF(ITEMS)
    rescan(TREADLE_GLOBAL double* TREADLE_RESTRICT best,
           TREADLE_GLOBAL treadle_int64* TREADLE_RESTRICT index,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT minima,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT targets,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT target_norms,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT neighbours,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT largest, double slack, int count,
           int stride, treadle_int64 first, TREADLE_GLOBAL int* TREADLE_RESTRICT searched) {
  TREADLE_LOCAL float least[ITEMS];
  TREADLE_LOCAL double distances[ITEMS];
  TREADLE_LOCAL int places[ITEMS], chunks_of_turn[ITEMS], found;
  const int target = treadle_group_id(0), item = treadle_local_id(0);
  const int chunks = (count + CHUNK - 1) / CHUNK;
  float lowest = TREADLE_INFINITY;
  for (int chunk = item; chunk < chunks; chunk += ITEMS)
    lowest = fmin(lowest, minima[(treadle_int64)chunk * stride + target]);
  least[item] = lowest;
  WAIT();
  for (int k = 0; k < ITEMS; ++k) lowest = fmin(lowest, least[k]);
  const double norm = target_norms[target];
  const double reach = sqrt(norm) + sqrt((double)largest[0]);
  const double error = slack * reach * reach;
  const double limit = fmin((double)lowest + 2 * error, best[target] - norm + 2 * error);

  double nearest = TREADLE_INFINITY;
  int place = 0;
  for (int begin = 0; begin < chunks; begin += ITEMS) {
    if (item == 0) found = 0;
    WAIT();
    const int mine = begin + item;
    if (mine < chunks && minima[(treadle_int64)mine * stride + target] <= limit)
      chunks_of_turn[treadle_atomic_add(&found, 1)] = mine;
    WAIT();
    for (int k = 0; k < found; ++k) {
      const int end = min((chunks_of_turn[k] + 1) * CHUNK, count);
      for (int n = chunks_of_turn[k] * CHUNK + item; n < end; n += ITEMS) {
        const double distance = distance_squared(targets + (treadle_int64)target * DIMENSIONS,
                                                 neighbours + (treadle_int64)n * DIMENSIONS);
        if (distance < nearest || (distance == nearest && n < place)) {
          nearest = distance;
          place = n;
        }
      }
    }
    if (item == 0) searched[target] += found;
    WAIT();
  }
  distances[item] = nearest;
  places[item] = place;
  WAIT();
  if (item == 0) {
    for (int k = 1; k < ITEMS; ++k)
      if (distances[k] < nearest || (distances[k] == nearest && places[k] < place)) {
        nearest = distances[k];
        place = places[k];
      }
    if (nearest < best[target]) {  // of equal ones the earlier call's has the lower number
      best[target] = nearest;
      index[target] = first + place;
    }
  }
}
