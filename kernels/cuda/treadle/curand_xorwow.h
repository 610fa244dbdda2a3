// SPDX-License-Identifier: MIT
// XORWOW: five words of a linear xorshift, and a counter that steps by 362437 (Marsaglia, "Xorshift RNGs", Journal of
// Statistical Software 8:14, 2003). Sequence n of a seed begins 2^67 n numbers after sequence 0.
//
// A jump by n steps is x^n modulo the characteristic polynomial of the xorshift, applied to the state (Haramoto et al.,
// "Efficient jump ahead for F2-linear random number generators", 2008): the sum, over the set bits i of the polynomial,
// of the state i steps ahead. curand_xorwow_jumps.h has x^(j 16^k) for every hexadecimal digit j at every place k.
#pragma once

#include "treadle/curand_functions.h"
#include "treadle/curand_xorwow_jumps.h"

extern "C++" {

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

__TREADLE_RANDOM void __treadle_xorshift(unsigned int* v) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

__TREADLE_RANDOM unsigned int curand(curandStateXORWOW_t* state) {
  __treadle_xorshift(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

/// v: `amount` times as many steps ahead as the table's first polynomial.
__TREADLE_RANDOM void __treadle_xorshift_jump(unsigned int* v, const unsigned int* polynomials,
                                                    unsigned long long amount) {
  for (; amount != 0; amount >>= 4, polynomials += 15 * 5) {
    const unsigned int digit = amount & 15u;
    if (digit == 0) continue;
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int word = 0; word < 5; ++word) {
      const unsigned int bits = polynomials[(digit - 1) * 5 + word];
      for (int bit = 0; bit < 32; ++bit) {
        const unsigned int mask = 0u - (bits >> bit & 1u);
        for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & mask;
        __treadle_xorshift(v);
      }
    }
    for (int i = 0; i < 5; ++i) v[i] = sum[i];
  }
}

/// As if `n` numbers had been drawn.
__TREADLE_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  __treadle_xorshift_jump(state->v, __treadle_xorwow_steps, n);
  state->d += 362437u * static_cast<unsigned int>(n);
}
/// As if 2^67 n numbers had been drawn; the counter is back where it was after each 2^32.
__TREADLE_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  __treadle_xorshift_jump(state->v, __treadle_xorwow_sequences, n);
}

/// The two halves of the seed are spread over Marsaglia's own first state. How they are is in no
/// publication: tools/xorwow_seeding.py finds these two keys and factors from what cuRAND's library draws.
__TREADLE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                        unsigned long long offset, curandStateXORWOW_t* state) {
  const unsigned int low = (static_cast<unsigned int>(seed) ^ 0xaad26b49u) * 1099087573u;
  const unsigned int high = (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}
}
