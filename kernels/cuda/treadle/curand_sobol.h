// SPDX-License-Identifier: MIT
// Sobol's quasirandom sequences in Gray code order: number i + 1 is number i with one direction vector more or less, the
// one of the lowest zero bit of i (Antonov and Saleev, 1979). The direction vectors of a dimension, Joe's and Kuo's or
// others, come from the caller; a scrambled sequence begins with a constant of his instead of zero.
#pragma once

#include "treadle/curand_functions.h"

extern "C++" {

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

struct curandStateSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
struct curandStateScrambledSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
struct curandStateSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};
struct curandStateScrambledSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

__TREADLE_RANDOM int __treadle_lowest_zero(unsigned int i) { return i == 0xffffffffu ? 31 : __ffs(~i) - 1; }
__TREADLE_RANDOM int __treadle_lowest_zero(unsigned long long i) {
  return i == 0xffffffffffffffffull ? 63 : __ffsll(static_cast<long long>(~i)) - 1;
}

template <class State, class Word>
__TREADLE_RANDOM void __treadle_sobol_begin(State* state, const Word* vectors, Word constant, Word offset) {
  for (unsigned int k = 0; k < sizeof(Word) * 8; ++k) state->direction_vectors[k] = vectors[k];
  state->i = 0;
  state->c = constant;
  state->x = constant;
  skipahead(offset, state);
}

// Number i is the start, with the direction vectors of the bits of i's Gray code.
#define __TREADLE_SOBOL(State, Word)                                                             \
  __TREADLE_RANDOM Word curand(State* state) {                                                   \
    const Word drawn = state->x;                                                                 \
    state->x ^= state->direction_vectors[__treadle_lowest_zero(state->i)];                       \
    ++state->i;                                                                                  \
    return drawn;                                                                                \
  }                                                                                              \
  /** As if `n` numbers had been drawn. */                                                       \
  template <class Count>                                                                         \
  __TREADLE_RANDOM void skipahead(Count n, State* state) {                                 \
    state->i += static_cast<Word>(n);                                                            \
    state->x = state->c;                                                                         \
    Word gray = state->i ^ (state->i >> 1);                                                      \
    for (int k = 0; gray != 0; gray >>= 1, ++k) {                                                \
      if (gray & 1u) state->x ^= state->direction_vectors[k];                                    \
    }                                                                                            \
  }
__TREADLE_SOBOL(curandStateSobol32_t, unsigned int)
__TREADLE_SOBOL(curandStateScrambledSobol32_t, unsigned int)
__TREADLE_SOBOL(curandStateSobol64_t, unsigned long long)
__TREADLE_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef __TREADLE_SOBOL

__TREADLE_RANDOM void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int offset,
                                        curandStateSobol32_t* state) {
  __treadle_sobol_begin(state, direction_vectors, 0u, offset);
}
__TREADLE_RANDOM void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int scramble_c,
                                        unsigned int offset, curandStateScrambledSobol32_t* state) {
  __treadle_sobol_begin(state, direction_vectors, scramble_c, offset);
}
__TREADLE_RANDOM void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long offset,
                                        curandStateSobol64_t* state) {
  __treadle_sobol_begin(state, direction_vectors, 0ull, offset);
}
__TREADLE_RANDOM void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long scramble_c,
                                        unsigned long long offset, curandStateScrambledSobol64_t* state) {
  __treadle_sobol_begin(state, direction_vectors, scramble_c, offset);
}
}
