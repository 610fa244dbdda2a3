// SPDX-License-Identifier: MIT
// What stands before scores.h and behind it: data are prepared, and chunks searched in float64.
// Macros: DIMENSIONS, CHUNK, PADDING, to a multiple of which neighbours are filled up, ITEMS, the
// work-items of a target's group, BYTES, whether data are uchar, and TENSOR: for which of the
// kernels of scores_tensor.h they are prepared, or 0.
#include "treadle/dialect.h"

#if ITEMS == 1
#define WAIT()
#else
#define WAIT() treadle_barrier()
#endif

#if BYTES
typedef uchar element;
typedef uchar4 element4;
#else
typedef float element;
typedef float4 element4;
#endif

// A word is what a matrix unit takes as one: four numbers of 8 bits, or one.
#if TENSOR == 2
#define WORDS (DIMENSIONS / 4)
typedef uint word;
typedef int number;
#define HALF_OF(norm) (-((int)(norm) >> 1))
#define FAR_AWAY (-(1 << 30))
// What half of a norm loses, twice; more if it was no integer.
#define BELOW (error > 0 ? 2.0 : 1.0)
#else
#define WORDS DIMENSIONS
typedef float number;
#define BELOW 0.0
#if TENSOR
typedef uint word;
#define HALF_OF(norm) (-0.5f * (norm))
#define FAR_AWAY (-TREADLE_INFINITY)
#else
typedef float word;
#define HALF_OF(norm) (norm)
#define FAR_AWAY TREADLE_INFINITY
#endif
#endif

// A word of a row. Rounding to tf32 is to nearest, ties away from zero; infinities and NaN stay.
TREADLE_FUNCTION word word_of(TREADLE_GLOBAL const element* row, TREADLE_GLOBAL const float* centre,
                              int column) {
#if TENSOR == 2
  const uchar4 four = *(TREADLE_GLOBAL const uchar4*)(row + 4 * column);
  const uint all = four.x | (uint)four.y << 8 | (uint)four.z << 16 | (uint)four.w << 24;
  return all ^ 0x80808080u;  // less 128
#elif TENSOR
  return (treadle_as_uint(row[column] - centre[column]) + 0x1000u) & 0xffffe000u;
#else
  return row[column] - centre[column];
#endif
}

TREADLE_FUNCTION float norm_of(TREADLE_GLOBAL const element* row,
                               TREADLE_GLOBAL const float* centre) {
  float sum = 0;
#if DIMENSIONS % 4 == 0
  for (int d = 0; d < DIMENSIONS; d += 4) {
    const element4 four = *(TREADLE_GLOBAL const element4*)(row + d);
    const float values[4] = {four.x - centre[d], four.y - centre[d + 1], four.z - centre[d + 2],
                             four.w - centre[d + 3]};
#pragma unroll
    for (int k = 0; k < 4; ++k) sum = fma(values[k], values[k], sum);
  }
#else
  for (int d = 0; d < DIMENSIONS; ++d) {
    const float value = row[d] - centre[d];
    sum = fma(value, value, sum);
  }
#endif
  return sum;
}

// Rows of neighbours from `count` on are there to fill a chunk: they are infinitely far away. A
// norm is multiplied by `kept`, so that scores are lower bounds: see rescan.
// over 6 parameters because three kernels read what it writes
TREADLE_KERNEL TREADLE_GROUP_OF(64)
    prepare_neighbours(TREADLE_GLOBAL const element* TREADLE_RESTRICT rows,
                       TREADLE_GLOBAL const float* TREADLE_RESTRICT centre,
                       TREADLE_GLOBAL word* TREADLE_RESTRICT words,
                       TREADLE_GLOBAL number* TREADLE_RESTRICT norms,
                       TREADLE_GLOBAL float* TREADLE_RESTRICT largest, float kept, int count) {
  TREADLE_LOCAL float norms_of_group[64];
  const int item = treadle_local_id(0);
  const treadle_int64 begin = 64 * (treadle_int64)treadle_group_id(0), row = begin + item;
  // Neighbouring work-items have neighbouring words first, and then a row each.
  for (int k = item; k < 64 * WORDS; k += 64) {
#if TENSOR
    const int place = k / (16 * WORDS) * 16 + k / 4 % 32 / 4 + k % 2 * 8;
    const int column = k / 128 % (WORDS / 8) * 8 + k / 4 % 4 + k % 4 / 2 * 4;
#else
    const int place = k / WORDS, column = k % WORDS;
#endif
    const bool is_there = begin + place < count;
    const word value = is_there ? word_of(rows + (begin + place) * DIMENSIONS, centre, column) : 0;
#if TENSOR
    words[begin * WORDS + k] = value;
#else
    words[begin * WORDS + k] = -2 * value;
#endif
  }
  float sum = row < count ? norm_of(rows + row * DIMENSIONS, centre) : 0;
  norms[row] = row < count ? HALF_OF(kept * sum) : FAR_AWAY;
  norms_of_group[item] = sum;
  treadle_barrier();
  if (item == 0) {
    for (int k = 1; k < 64; ++k) sum = fmax(sum, norms_of_group[k]);
    treadle_atomic_max_float(largest, sum);
  }
}

// Targets word by word, `stride` apart, or as matrix units take them; behind the last one is the
// centre.
TREADLE_KERNEL prepare_targets(TREADLE_GLOBAL const element* TREADLE_RESTRICT rows,
                               TREADLE_GLOBAL const float* TREADLE_RESTRICT centre,
                               TREADLE_GLOBAL word* TREADLE_RESTRICT columns,
                               TREADLE_GLOBAL float* TREADLE_RESTRICT norms, int count,
                               int stride) {
  const int target = treadle_global_id(0);
  TREADLE_GLOBAL const element* row = rows + (treadle_int64)target * DIMENSIONS;
  for (int k = 0; k < WORDS; ++k) {
#if TENSOR
    const treadle_int64 place = (treadle_int64)(target / 8) * (8 * WORDS) + k / 8 * 64 +
                                (target % 8 * 4 + k % 4) * 2 + k % 8 / 4;
#else
    const treadle_int64 place = (treadle_int64)k * stride + target;
#endif
    columns[place] = target < count ? word_of(row, centre, k) : 0;
  }
  norms[target] = target < count ? norm_of(row, centre) : 0;
}

TREADLE_FUNCTION double distance_squared(TREADLE_GLOBAL const element* a,
                                         TREADLE_GLOBAL const element* b) {
  double part[4] = {0, 0, 0, 0};
#if DIMENSIONS % 4 == 0
  for (int d = 0; d < DIMENSIONS; d += 4) {
    const element4 x = *(TREADLE_GLOBAL const element4*)(a + d),
                   y = *(TREADLE_GLOBAL const element4*)(b + d);
    const double differences[4] = {(double)x.x - (double)y.x, (double)x.y - (double)y.y,
                                   (double)x.z - (double)y.z, (double)x.w - (double)y.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) part[k] = fma(differences[k], differences[k], part[k]);
  }
#else
  for (int d = 0; d < DIMENSIONS; ++d) {
    const double difference = (double)a[d] - (double)b[d];
    part[d % 4] = fma(difference, difference, part[d % 4]);
  }
#endif
  return part[0] + part[1] + (part[2] + part[3]);
}

#if TENSOR
#define MINIMUM(chunk) \
  minima[(treadle_int64)target * ((count + PADDING - 1) / PADDING * (PADDING / CHUNK)) + (chunk)]
#else
#define MINIMUM(chunk) minima[(treadle_int64)(chunk) * stride + target]
#endif

// A group has one target a. The score of a neighbour b is |b|^2 - 2 a b, wrong by
// error * (|a|^2 + |b|^2) at most, less error * |b|^2: with |a|^2 and error * |a|^2 added, a bound
// from below of the distance squared, and from above if 2 error * |b|^2 are added, too. The chunk
// of the least score is searched first, and then those that may have what is nearer. `first` is the
// number of the first neighbour; earlier calls have left what they found in `best` and `index`.
// over 6 parameters because data, what was found and the bound come from three kernels
// over 80 lines because its parts share what the work-items of a group found
TREADLE_KERNEL TREADLE_GROUP_OF(ITEMS)
    rescan(TREADLE_GLOBAL double* TREADLE_RESTRICT best,
           TREADLE_GLOBAL treadle_int64* TREADLE_RESTRICT index,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT minima,
           TREADLE_GLOBAL const element* TREADLE_RESTRICT targets,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT target_norms,
           TREADLE_GLOBAL const element* TREADLE_RESTRICT neighbours,
           TREADLE_GLOBAL const float* TREADLE_RESTRICT largest, double error, int count,
           int stride, treadle_int64 first, TREADLE_GLOBAL int* TREADLE_RESTRICT searched) {
  TREADLE_LOCAL float least[ITEMS];
  TREADLE_LOCAL double distances[ITEMS];
  TREADLE_LOCAL int places[ITEMS], chunks_of_turn[ITEMS], found;
  const int target = treadle_group_id(0), item = treadle_local_id(0);
  const int chunks = (count + CHUNK - 1) / CHUNK;
  least[item] = TREADLE_INFINITY;
  places[item] = 0;
  for (int chunk = item; chunk < chunks; chunk += ITEMS)
    if (MINIMUM(chunk) < least[item]) {
      least[item] = MINIMUM(chunk);
      places[item] = chunk;
    }
  WAIT();
  float lowest = least[0];
  int lowest_chunk = places[0];
  for (int k = 1; k < ITEMS; ++k)
    if (least[k] < lowest) {
      lowest = least[k];
      lowest_chunk = places[k];
    }
  const double norm = target_norms[target], fixed = error * norm;
  const double upper = sqrt(fmax(0.0, lowest + norm + fixed + 2 * error * largest[0] + BELOW));
  const double reach = sqrt(norm) + upper;  // |b| of the neighbour with the least score
  double limit = lowest + 2 * fixed + 2 * error * fmin((double)largest[0], reach * reach) + BELOW;
  limit = fmin(limit, best[target] - norm + fixed);

  double nearest = TREADLE_INFINITY;
  int place = 0;
  for (int begin = -1; begin < chunks; begin += begin < 0 ? 1 : ITEMS) {
    WAIT();
    if (item == 0) {
      found = begin < 0 && chunks > 0 && lowest <= limit;
      chunks_of_turn[0] = lowest_chunk;
    }
    WAIT();
    const int mine = begin + item;
    if (begin >= 0 && mine < chunks && mine != lowest_chunk && MINIMUM(mine) <= limit)
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
    if (begin < 0) {
      distances[item] = nearest;
      WAIT();
      for (int k = 0; k < ITEMS; ++k) limit = fmin(limit, distances[k] - norm + fixed);
    }
  }
  WAIT();
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
