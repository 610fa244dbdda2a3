// SPDX-License-Identifier: MIT
// Normal numbers. Of pseudorandom draws, two at a time by Box and Muller (1958): radius sqrt(-2 ln u), angle 2 pi v; the
// sine comes first, and a function that returns one number keeps the cosine for its next call. Of quasirandom draws,
// whose order must not be mixed, one at a time by the inverse of the distribution.
#pragma once

#include "treadle/curand_uniform.h"

extern "C++" {

/// From draws for the radius and the angle. Of a float's sine a GPU takes the fast one, as cuRAND does.
__TREADLE_RANDOM float2 __treadle_normal_pair(float u, float angle) {
  const float radius = sqrtf(-2.0f * logf(u));
  float2 pair;
  __sincosf(angle, &pair.x, &pair.y);
  pair.x *= radius;
  pair.y *= radius;
  return pair;
}
/// half_turns: the angle as a multiple of pi.
__TREADLE_RANDOM double2 __treadle_normal_pair(double u, double half_turns) {
  const double radius = sqrt(-2.0 * log(u));
  double2 pair;
  sincospi(half_turns, &pair.x, &pair.y);
  pair.x *= radius;
  pair.y *= radius;
  return pair;
}

__TREADLE_RANDOM float2 __treadle_normal_floats(unsigned int x, unsigned int y) {
  constexpr float turn = __TREADLE_2POW_32 * 6.2831855f;
  return __treadle_normal_pair(__treadle_unit_float(x), y * turn + turn / 2.0f);
}
__TREADLE_RANDOM double2 __treadle_normal_doubles(uint4 x) {
  const unsigned long long angle = x.z ^ static_cast<unsigned long long>(x.w) << 21;
  constexpr double half_turn = __TREADLE_2POW_53 * 2.0;
  return __treadle_normal_pair(__treadle_unit_double(x.x, x.y), angle * half_turn + half_turn / 2.0);
}

template <class State>
__TREADLE_RANDOM float2 __treadle_next_floats(State* state) {
  const unsigned int x = curand(state);
  return __treadle_normal_floats(x, curand(state));
}
template <class State>
__TREADLE_RANDOM double2 __treadle_next_doubles(State* state) {
  uint4 x;
  x.x = curand(state);
  x.y = curand(state);
  x.z = curand(state);
  x.w = curand(state);
  return __treadle_normal_doubles(x);
}
// MRG32k3a has its own unit of the interval, and one draw for a double.
__TREADLE_RANDOM float2 __treadle_next_floats(curandStateMRG32k3a_t* state) {
  const float u = curand_uniform(state);
  return __treadle_normal_pair(u, curand_uniform(state) * 6.2831855f);
}
__TREADLE_RANDOM double2 __treadle_next_doubles(curandStateMRG32k3a_t* state) {
  const double u = curand_uniform_double(state);
  return __treadle_normal_pair(u, curand_uniform_double(state) * 2.0);
}

#define __TREADLE_SPARE_NORMAL 1
#define __TREADLE_SPARE_LOG_NORMAL 2

/// One of a pair; the other is kept in the state for the next call of the same kind. A call of the other kind drops it.
#define __TREADLE_TAKE_OR_KEEP(kind, flag, extra, pair_type, pair_of_new) \
  if (state->flag == kind) {                                              \
    state->flag = 0;                                                      \
    return state->extra;                                                  \
  }                                                                       \
  const pair_type pair = pair_of_new;                                     \
  state->extra = pair.y;                                                  \
  state->flag = kind;                                                     \
  return pair.x;

#define __TREADLE_NORMAL_PAIRS(State)                                                                             \
  __TREADLE_RANDOM float2 curand_normal2(State* state) { return __treadle_next_floats(state); }                   \
  __TREADLE_RANDOM double2 curand_normal2_double(State* state) { return __treadle_next_doubles(state); }          \
  __TREADLE_RANDOM float2 curand_log_normal2(State* state, float mean, float stddev) {                            \
    const float2 n = curand_normal2(state);                                                                       \
    return make_float2(expf(mean + stddev * n.x), expf(mean + stddev * n.y));                                     \
  }                                                                                                               \
  __TREADLE_RANDOM double2 curand_log_normal2_double(State* state, double mean, double stddev) {                  \
    const double2 n = curand_normal2_double(state);                                                               \
    return make_double2(exp(mean + stddev * n.x), exp(mean + stddev * n.y));                                      \
  }                                                                                                               \
  __TREADLE_RANDOM float curand_normal(State* state) {                                                            \
    __TREADLE_TAKE_OR_KEEP(__TREADLE_SPARE_NORMAL, boxmuller_flag, boxmuller_extra, float2,                       \
                           curand_normal2(state))                                                                 \
  }                                                                                                               \
  __TREADLE_RANDOM double curand_normal_double(State* state) {                                                    \
    __TREADLE_TAKE_OR_KEEP(__TREADLE_SPARE_NORMAL, boxmuller_flag_double, boxmuller_extra_double, double2,        \
                           curand_normal2_double(state))                                                          \
  }                                                                                                               \
  __TREADLE_RANDOM float curand_log_normal(State* state, float mean, float stddev) {                              \
    __TREADLE_TAKE_OR_KEEP(__TREADLE_SPARE_LOG_NORMAL, boxmuller_flag, boxmuller_extra, float2,                   \
                           curand_log_normal2(state, mean, stddev))                                               \
  }                                                                                                               \
  __TREADLE_RANDOM double curand_log_normal_double(State* state, double mean, double stddev) {                    \
    __TREADLE_TAKE_OR_KEEP(__TREADLE_SPARE_LOG_NORMAL, boxmuller_flag_double, boxmuller_extra_double, double2,    \
                           curand_log_normal2_double(state, mean, stddev))                                        \
  }
__TREADLE_NORMAL_PAIRS(curandStateXORWOW_t)
__TREADLE_NORMAL_PAIRS(curandStateMRG32k3a_t)
__TREADLE_NORMAL_PAIRS(curandStatePhilox4_32_10_t)
#undef __TREADLE_NORMAL_PAIRS
#undef __TREADLE_TAKE_OR_KEEP
#undef __TREADLE_SPARE_NORMAL
#undef __TREADLE_SPARE_LOG_NORMAL

// The distribution is symmetric: the draws above the middle mirror those below.
__TREADLE_RANDOM float __treadle_normal_of(unsigned int x) {
  const bool mirrored = x > 0x80000000u;
  if (mirrored) x = 0xffffffffu - x;
  const float z = erfcinvf(2.0f * __treadle_unit_float(x)) * -1.4142135f;
  return mirrored ? -z : z;
}
__TREADLE_RANDOM double __treadle_normal_double_of(unsigned int x) {
  const bool mirrored = x > 0x80000000u;
  if (mirrored) x = 0xffffffffu - x;
  const double middle = x * 2.3283064365386963e-10 + 1.1641532182693481e-10;
  const double z = erfcinv(2.0 * middle) * -1.4142135623730951;
  return mirrored ? -z : z;
}
__TREADLE_RANDOM double __treadle_normal_double_of(unsigned long long x) {
  const bool mirrored = x > 0x8000000000000000ull;
  if (mirrored) x = 0xffffffffffffffffull - x;
  const double z = erfcinv(2.0 * __treadle_unit_double(x)) * -1.4142135623730951;
  return mirrored ? -z : z;
}
__TREADLE_RANDOM float __treadle_normal_of(unsigned long long x) {
  return __treadle_normal_of(static_cast<unsigned int>(x >> 32));
}
#define __TREADLE_NORMAL_INVERSE(State)                                                                            \
  __TREADLE_RANDOM float curand_normal(State* state) { return __treadle_normal_of(curand(state)); }                \
  __TREADLE_RANDOM double curand_normal_double(State* state) { return __treadle_normal_double_of(curand(state)); } \
  __TREADLE_RANDOM float curand_log_normal(State* state, float mean, float stddev) {                               \
    return expf(mean + stddev * curand_normal(state));                                                             \
  }                                                                                                                \
  __TREADLE_RANDOM double curand_log_normal_double(State* state, double mean, double stddev) {                     \
    return exp(mean + stddev * curand_normal_double(state));                                                       \
  }
__TREADLE_NORMAL_INVERSE(curandStateSobol32_t)
__TREADLE_NORMAL_INVERSE(curandStateScrambledSobol32_t)
__TREADLE_NORMAL_INVERSE(curandStateSobol64_t)
__TREADLE_NORMAL_INVERSE(curandStateScrambledSobol64_t)
#undef __TREADLE_NORMAL_INVERSE

/// Four draws as four floats; eight as four doubles.
__TREADLE_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = __treadle_normal_floats(x.x, x.y), b = __treadle_normal_floats(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
__TREADLE_RANDOM __treadle_double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 first = curand_normal2_double(state);
  return __treadle_joined(first, curand_normal2_double(state));
}

__TREADLE_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 n = curand_normal4(state);
  return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y), expf(mean + stddev * n.z),
                     expf(mean + stddev * n.w));
}
__TREADLE_RANDOM __treadle_double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
  __treadle_double4 n = curand_normal4_double(state);
  n.x = exp(mean + stddev * n.x);
  n.y = exp(mean + stddev * n.y);
  n.z = exp(mean + stddev * n.z);
  n.w = exp(mean + stddev * n.w);
  return n;
}
}
