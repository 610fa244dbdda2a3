// SPDX-License-Identifier: MIT
// Threefry: a counter and a key, mixed by additions and rotations (J. K. Salmon and others: Parallel
// random numbers: as easy as 1, 2, 3. SC'11). threefry4x32(counter, key) has twenty rounds,
// threefry4x32_R(rounds, counter, key) as many as are asked for; so have those of 2 words and of 64 bits.
#pragma once

#include <pyopencl-random123/array.h>

enum {
  threefry2x32_rounds = 20,
  threefry4x32_rounds = 20,
  threefry2x64_rounds = 20,
  threefry4x64_rounds = 20
};

__constant const uint treadle_threefry2x32_turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
__constant const uint treadle_threefry2x64_turns[8] = {16, 42, 12, 31, 16, 32, 24, 21};
__constant const uint treadle_threefry4x32_turns[16] = {10, 26, 11, 21, 13, 27, 23, 5,
                                                        6,  20, 17, 11, 25, 10, 18, 20};
__constant const uint treadle_threefry4x64_turns[16] = {14, 16, 52, 57, 23, 40, 5,  37,
                                                        25, 33, 46, 12, 58, 22, 32, 32};

#define TREADLE_THREEFRY2(bits, word, parity)                                                      \
  typedef struct r123array2x##bits threefry2x##bits##_ctr_t;                                       \
  typedef struct r123array2x##bits threefry2x##bits##_key_t;                                       \
  typedef struct r123array2x##bits threefry2x##bits##_ukey_t;                                      \
  static inline threefry2x##bits##_key_t threefry2x##bits##keyinit(threefry2x##bits##_ukey_t key) { \
    return key;                                                                                    \
  }                                                                                                \
  static inline threefry2x##bits##_ctr_t threefry2x##bits##_R(                                     \
      uint rounds, threefry2x##bits##_ctr_t ctr, threefry2x##bits##_key_t key) {                   \
    word keys[3] = {key.v[0], key.v[1], (word)parity ^ key.v[0] ^ key.v[1]};                       \
    ctr.v[0] += keys[0];                                                                           \
    ctr.v[1] += keys[1];                                                                           \
    for (uint round = 0; round < rounds; ++round) {                                                \
      ctr.v[0] += ctr.v[1];                                                                        \
      ctr.v[1] = rotate(ctr.v[1], (word)treadle_threefry2x##bits##_turns[round % 8]) ^ ctr.v[0];   \
      if (round % 4 != 3) continue;                                                                \
      const uint added = round / 4 + 1;                                                            \
      ctr.v[0] += keys[added % 3];                                                                 \
      ctr.v[1] += keys[(added + 1) % 3] + added;                                                   \
    }                                                                                              \
    return ctr;                                                                                    \
  }                                                                                                \
  static inline threefry2x##bits##_ctr_t threefry2x##bits(threefry2x##bits##_ctr_t ctr,            \
                                                          threefry2x##bits##_key_t key) {          \
    return threefry2x##bits##_R(threefry2x##bits##_rounds, ctr, key);                              \
  }

#define TREADLE_THREEFRY4(bits, word, parity)                                                      \
  typedef struct r123array4x##bits threefry4x##bits##_ctr_t;                                       \
  typedef struct r123array4x##bits threefry4x##bits##_key_t;                                       \
  typedef struct r123array4x##bits threefry4x##bits##_ukey_t;                                      \
  static inline threefry4x##bits##_key_t threefry4x##bits##keyinit(threefry4x##bits##_ukey_t key) { \
    return key;                                                                                    \
  }                                                                                                \
  static inline threefry4x##bits##_ctr_t threefry4x##bits##_R(                                     \
      uint rounds, threefry4x##bits##_ctr_t ctr, threefry4x##bits##_key_t key) {                   \
    word keys[5] = {key.v[0], key.v[1], key.v[2], key.v[3],                                        \
                    (word)parity ^ key.v[0] ^ key.v[1] ^ key.v[2] ^ key.v[3]};                     \
    for (uint i = 0; i < 4; ++i) ctr.v[i] += keys[i];                                              \
    for (uint round = 0; round < rounds; ++round) {                                                \
      const uint at = 2 * (round % 8), a = 1 + 2 * (round % 2), b = 4 - a;                         \
      ctr.v[0] += ctr.v[a];                                                                        \
      ctr.v[a] = rotate(ctr.v[a], (word)treadle_threefry4x##bits##_turns[at]) ^ ctr.v[0];          \
      ctr.v[2] += ctr.v[b];                                                                        \
      ctr.v[b] = rotate(ctr.v[b], (word)treadle_threefry4x##bits##_turns[at + 1]) ^ ctr.v[2];      \
      if (round % 4 != 3) continue;                                                                \
      const uint added = round / 4 + 1;                                                            \
      for (uint i = 0; i < 4; ++i) ctr.v[i] += keys[(added + i) % 5];                              \
      ctr.v[3] += added;                                                                           \
    }                                                                                              \
    return ctr;                                                                                    \
  }                                                                                                \
  static inline threefry4x##bits##_ctr_t threefry4x##bits(threefry4x##bits##_ctr_t ctr,            \
                                                          threefry4x##bits##_key_t key) {          \
    return threefry4x##bits##_R(threefry4x##bits##_rounds, ctr, key);                              \
  }

TREADLE_THREEFRY2(32, uint, 0x1bd11bdau)
TREADLE_THREEFRY2(64, ulong, 0x1bd11bdaa9fc1a22ul)
TREADLE_THREEFRY4(32, uint, 0x1bd11bdau)
TREADLE_THREEFRY4(64, ulong, 0x1bd11bdaa9fc1a22ul)
