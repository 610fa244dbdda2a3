// SPDX-License-Identifier: MIT
// MRG32k3a: two linear recurrences of order three modulo primes below 2^32, and their difference (L'Ecuyer, "Good
// parameters and implementations for combined multiple recursive random number generators", Operations Research 47:1,
// 1999). A jump by n steps is the n-th power of each recurrence's matrix; subsequences begin 2^76 numbers apart and
// sequences 2^127, as in L'Ecuyer's own package of streams (2002).
#pragma once

#include "treadle/curand_functions.h"

extern "C++" {

struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

#define __TREADLE_MRG_M1 4294967087u
#define __TREADLE_MRG_M2 4294944443u

/// a b modulo m for factors below m: the product has 64 bits.
__TREADLE_RANDOM unsigned int __treadle_mrg_product(unsigned int a, unsigned int b, unsigned int m) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b % m);
}

/// s[k] = sum of matrix[k][j] s[j], modulo m.
__TREADLE_RANDOM void __treadle_mrg_apply(const unsigned int (&matrix)[3][3], unsigned int (&s)[3], unsigned int m) {
  unsigned int result[3];
  for (int k = 0; k < 3; ++k) {
    unsigned long long sum = 0;
    for (int j = 0; j < 3; ++j) sum += __treadle_mrg_product(matrix[k][j], s[j], m);
    result[k] = static_cast<unsigned int>(sum % m);
  }
  for (int k = 0; k < 3; ++k) s[k] = result[k];
}

__TREADLE_RANDOM void __treadle_mrg_square(unsigned int (&matrix)[3][3], unsigned int m) {
  unsigned int columns[3][3];
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) columns[j][k] = matrix[k][j];
    __treadle_mrg_apply(matrix, columns[j], m);
  }
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) matrix[k][j] = columns[j][k];
  }
}

/// Moves both recurrences by n 2^doublings steps.
__TREADLE_RANDOM void __treadle_mrg_jump(curandStateMRG32k3a_t* state, unsigned long long n, int doublings) {
  unsigned int a1[3][3] = {{0, 1, 0}, {0, 0, 1}, {__TREADLE_MRG_M1 - 810728u, 1403580u, 0}};
  unsigned int a2[3][3] = {{0, 1, 0}, {0, 0, 1}, {__TREADLE_MRG_M2 - 1370589u, 0, 527612u}};
  for (; n != 0; --doublings) {
    if (doublings <= 0) {
      if (n & 1u) {
        __treadle_mrg_apply(a1, state->s1, __TREADLE_MRG_M1);
        __treadle_mrg_apply(a2, state->s2, __TREADLE_MRG_M2);
      }
      n >>= 1;
    }
    __treadle_mrg_square(a1, __TREADLE_MRG_M1);
    __treadle_mrg_square(a2, __TREADLE_MRG_M2);
  }
}

/// As if `n` numbers had been drawn.
__TREADLE_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  __treadle_mrg_jump(state, n, 0);
}
/// As if 2^76 n numbers had been drawn.
__TREADLE_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  __treadle_mrg_jump(state, n, 76);
}
/// As if 2^127 n numbers had been drawn.
__TREADLE_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  __treadle_mrg_jump(state, n, 127);
}

/// Every element of the first state is 12345, as in L'Ecuyer's package, times a half of the seed with every other bit
/// turned. That is cuRAND's own and in no publication; the tests hold the draws from four seeds against its own.
__TREADLE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                        unsigned long long offset, curandStateMRG32k3a_t* state) {
  const unsigned int low = static_cast<unsigned int>(seed) ^ 0x55555555u;
  const unsigned int high = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
  for (int k = 0; k < 3; ++k) {
    const unsigned int first = k == 1 ? high : low, second = k == 1 ? low : high;
    state->s1[k] = seed == 0 ? 12345u : __treadle_mrg_product(12345u, first, __TREADLE_MRG_M1);
    state->s2[k] = seed == 0 ? 12345u : __treadle_mrg_product(12345u, second, __TREADLE_MRG_M2);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

/// One step: a number from 1 to m1.
__TREADLE_RANDOM unsigned int __treadle_mrg_step(curandStateMRG32k3a_t* state) {
  const unsigned long long up1 = 1403580ull * state->s1[1] + 810728ull * (__TREADLE_MRG_M1 - state->s1[0]);
  const unsigned long long up2 = 527612ull * state->s2[2] + 1370589ull * (__TREADLE_MRG_M2 - state->s2[0]);
  const unsigned int p1 = static_cast<unsigned int>(up1 % __TREADLE_MRG_M1);
  const unsigned int p2 = static_cast<unsigned int>(up2 % __TREADLE_MRG_M2);
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = p1;
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = p2;
  return p1 > p2 ? p1 - p2 : p1 - p2 + __TREADLE_MRG_M1;
}
}
