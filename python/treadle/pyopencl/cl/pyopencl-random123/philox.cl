// SPDX-License-Identifier: MIT
// Philox: a counter and a key, mixed by products (J. K. Salmon and others: Parallel random numbers: as
// easy as 1, 2, 3. SC'11). philox4x32(counter, key) has ten rounds, philox4x32_R(rounds, counter, key)
// as many as are asked for; so have those of 2 words and of 64 bits.
#pragma once

#include <pyopencl-random123/array.h>

enum { philox2x32_rounds = 10, philox4x32_rounds = 10, philox2x64_rounds = 10, philox4x64_rounds = 10 };

// One of the two words that are mixed, M the factor and W what the key grows by.
#define TREADLE_PHILOX2(bits, word, M, W)                                                          \
  typedef struct r123array2x##bits philox2x##bits##_ctr_t;                                         \
  typedef struct r123array1x##bits philox2x##bits##_key_t;                                         \
  typedef struct r123array1x##bits philox2x##bits##_ukey_t;                                        \
  static inline philox2x##bits##_key_t philox2x##bits##keyinit(philox2x##bits##_ukey_t key) {      \
    return key;                                                                                    \
  }                                                                                                \
  static inline philox2x##bits##_ctr_t philox2x##bits##_R(                                         \
      uint rounds, philox2x##bits##_ctr_t ctr, philox2x##bits##_key_t key) {                       \
    for (uint round = 0; round < rounds; ++round) {                                                \
      const word high = mul_hi((word)M, ctr.v[0]), low = (word)M * ctr.v[0];                       \
      ctr.v[0] = high ^ key.v[0] ^ ctr.v[1];                                                       \
      ctr.v[1] = low;                                                                              \
      key.v[0] += (word)W;                                                                         \
    }                                                                                              \
    return ctr;                                                                                    \
  }                                                                                                \
  static inline philox2x##bits##_ctr_t philox2x##bits(philox2x##bits##_ctr_t ctr,                  \
                                                      philox2x##bits##_key_t key) {                \
    return philox2x##bits##_R(philox2x##bits##_rounds, ctr, key);                                  \
  }

#define TREADLE_PHILOX4(bits, word, M0, M1, W0, W1)                                                \
  typedef struct r123array4x##bits philox4x##bits##_ctr_t;                                         \
  typedef struct r123array2x##bits philox4x##bits##_key_t;                                         \
  typedef struct r123array2x##bits philox4x##bits##_ukey_t;                                        \
  static inline philox4x##bits##_key_t philox4x##bits##keyinit(philox4x##bits##_ukey_t key) {      \
    return key;                                                                                    \
  }                                                                                                \
  static inline philox4x##bits##_ctr_t philox4x##bits##_R(                                         \
      uint rounds, philox4x##bits##_ctr_t ctr, philox4x##bits##_key_t key) {                       \
    for (uint round = 0; round < rounds; ++round) {                                                \
      const word high0 = mul_hi((word)M0, ctr.v[0]), low0 = (word)M0 * ctr.v[0];                   \
      const word high1 = mul_hi((word)M1, ctr.v[2]), low1 = (word)M1 * ctr.v[2];                   \
      ctr.v[0] = high1 ^ ctr.v[1] ^ key.v[0];                                                      \
      ctr.v[1] = low1;                                                                             \
      ctr.v[2] = high0 ^ ctr.v[3] ^ key.v[1];                                                      \
      ctr.v[3] = low0;                                                                             \
      key.v[0] += (word)W0;                                                                        \
      key.v[1] += (word)W1;                                                                        \
    }                                                                                              \
    return ctr;                                                                                    \
  }                                                                                                \
  static inline philox4x##bits##_ctr_t philox4x##bits(philox4x##bits##_ctr_t ctr,                  \
                                                      philox4x##bits##_key_t key) {                \
    return philox4x##bits##_R(philox4x##bits##_rounds, ctr, key);                                  \
  }

TREADLE_PHILOX2(32, uint, 0xd256d193u, 0x9e3779b9u)
TREADLE_PHILOX2(64, ulong, 0xd2b74407b1ce6e93ul, 0x9e3779b97f4a7c15ul)
TREADLE_PHILOX4(32, uint, 0xd2511f53u, 0xcd9e8d57u, 0x9e3779b9u, 0xbb67ae85u)
TREADLE_PHILOX4(64, ulong, 0xd2e7470ee14c6c93ul, 0xca5a826395121157ul, 0x9e3779b97f4a7c15ul,
                0xbb67ae8584caa73bul)
