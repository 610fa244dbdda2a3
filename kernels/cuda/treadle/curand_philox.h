// SPDX-License-Identifier: MIT
// Philox4x32-10: a counter of 128 bits, mixed by ten rounds of products under a key of 64 bits (Salmon et al., "Parallel
// Random Numbers: As Easy as 1, 2, 3", SC'11). The seed is the key, the subsequence the upper half of the counter; each
// counter gives four numbers.
#pragma once

#include "treadle/curand_functions.h"

extern "C++" {

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;  // how many numbers of `output` are used
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__TREADLE_RANDOM uint4 __treadle_philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ull * counter.x, b = 0xcd9e8d57ull * counter.z;
    counter = make_uint4(static_cast<unsigned int>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned int>(b),
                         static_cast<unsigned int>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned int>(a));
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

__TREADLE_RANDOM void __treadle_philox_add_high(curandStatePhilox4_32_10_t* state, unsigned long long n) {
  const unsigned long long high =
      (static_cast<unsigned long long>(state->ctr.w) << 32 | state->ctr.z) + n;
  state->ctr.z = static_cast<unsigned int>(high);
  state->ctr.w = static_cast<unsigned int>(high >> 32);
}
__TREADLE_RANDOM void __treadle_philox_add(curandStatePhilox4_32_10_t* state, unsigned long long n) {
  const unsigned long long low = (static_cast<unsigned long long>(state->ctr.y) << 32 | state->ctr.x) + n;
  state->ctr.x = static_cast<unsigned int>(low);
  state->ctr.y = static_cast<unsigned int>(low >> 32);
  if (low < n) __treadle_philox_add_high(state, 1);
}

/// As if `n` numbers had been drawn.
__TREADLE_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned int used = state->STATE + static_cast<unsigned int>(n & 3u);
  state->STATE = used & 3u;
  __treadle_philox_add(state, (n >> 2) + (used >> 2));
  state->output = __treadle_philox(state->ctr, state->key);
}
/// As if 2^66 n numbers had been drawn.
__TREADLE_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  __treadle_philox_add_high(state, n);
  state->output = __treadle_philox(state->ctr, state->key);
}

__TREADLE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                        unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
  state->STATE = 0;
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
  __treadle_philox_add_high(state, subsequence);
  skipahead(offset, state);
}

__TREADLE_RANDOM void __treadle_philox_next(curandStatePhilox4_32_10_t* state) {
  __treadle_philox_add(state, 1);
  state->output = __treadle_philox(state->ctr, state->key);
}

__TREADLE_RANDOM unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const uint4 ready = state->output;
  const unsigned int used = state->STATE;
  const unsigned int drawn = used == 0 ? ready.x : used == 1 ? ready.y : used == 2 ? ready.z : ready.w;
  state->STATE = (used + 1) & 3u;
  if (state->STATE == 0) __treadle_philox_next(state);
  return drawn;
}

/// The next four numbers.
__TREADLE_RANDOM uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 a = state->output;
  __treadle_philox_next(state);
  const uint4 b = state->output;
  switch (state->STATE) {
    case 0:
      return a;
    case 1:
      return make_uint4(a.y, a.z, a.w, b.x);
    case 2:
      return make_uint4(a.z, a.w, b.x, b.y);
    default:
      return make_uint4(a.w, b.x, b.y, b.z);
  }
}
}
