// SPDX-License-Identifier: MIT
// Integers become reals of (0, 1]: each is taken as the middle of its interval, so 0 never occurs and 1 may, by
// rounding. A double takes 53 bits of two draws, or what the generator's single draw has.
#pragma once

#include "treadle/curand_mrg32k3a.h"
#include "treadle/curand_philox.h"
#include "treadle/curand_sobol.h"
#include "treadle/curand_xorwow.h"

extern "C++" {

#define __TREADLE_2POW_32 2.3283064365386963e-10f
#define __TREADLE_2POW_53 1.1102230246251565e-16
/// 1 / m1, so that the largest number gives 1.
#define __TREADLE_MRG_NORM 2.3283065498378288e-10

__TREADLE_RANDOM float __treadle_unit_float(unsigned int x) {
  return x * __TREADLE_2POW_32 + __TREADLE_2POW_32 / 2.0f;
}
/// One draw of 32 bits: the upper end of its interval here, and not the middle.
__TREADLE_RANDOM double __treadle_unit_double(unsigned int x) {
  return x * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
/// 53 bits: all of x, and 21 of y above them.
__TREADLE_RANDOM double __treadle_unit_double(unsigned int x, unsigned int y) {
  const unsigned long long z = x ^ static_cast<unsigned long long>(y) << 21;
  return z * __TREADLE_2POW_53 + __TREADLE_2POW_53 / 2.0;
}
__TREADLE_RANDOM double __treadle_unit_double(unsigned long long x) {
  return (x >> 11) * __TREADLE_2POW_53 + __TREADLE_2POW_53 / 2.0;
}

/// Its numbers end below 2^32, at m1, and are stretched to fill 32 bits.
__TREADLE_RANDOM unsigned int curand(curandStateMRG32k3a_t* state) {
  return static_cast<unsigned int>(__treadle_mrg_step(state) * 1.000000048662);
}

__TREADLE_RANDOM float curand_uniform(curandStateXORWOW_t* state) {
  return __treadle_unit_float(curand(state));
}
__TREADLE_RANDOM double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned int x = curand(state);
  return __treadle_unit_double(x, curand(state));
}

__TREADLE_RANDOM float curand_uniform(curandStateMRG32k3a_t* state) {
  return static_cast<float>(__treadle_mrg_step(state) * __TREADLE_MRG_NORM);
}
__TREADLE_RANDOM double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return __treadle_mrg_step(state) * __TREADLE_MRG_NORM;
}

#define __TREADLE_UNIFORM_OF_ONE(State)                                                               \
  __TREADLE_RANDOM float curand_uniform(State* state) { return __treadle_unit_float(curand(state)); } \
  __TREADLE_RANDOM double curand_uniform_double(State* state) { return __treadle_unit_double(curand(state)); }
__TREADLE_UNIFORM_OF_ONE(curandStatePhilox4_32_10_t)
__TREADLE_UNIFORM_OF_ONE(curandStateSobol32_t)
__TREADLE_UNIFORM_OF_ONE(curandStateScrambledSobol32_t)
#undef __TREADLE_UNIFORM_OF_ONE

#define __TREADLE_UNIFORM_OF_64(State)                                                        \
  __TREADLE_RANDOM float curand_uniform(State* state) {                                       \
    return __treadle_unit_float(static_cast<unsigned int>(curand(state) >> 32));              \
  }                                                                                           \
  __TREADLE_RANDOM double curand_uniform_double(State* state) { return __treadle_unit_double(curand(state)); }
__TREADLE_UNIFORM_OF_64(curandStateSobol64_t)
__TREADLE_UNIFORM_OF_64(curandStateScrambledSobol64_t)
#undef __TREADLE_UNIFORM_OF_64

/// Four draws as four floats, or as two doubles.
__TREADLE_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_float4(__treadle_unit_float(x.x), __treadle_unit_float(x.y), __treadle_unit_float(x.z),
                     __treadle_unit_float(x.w));
}
__TREADLE_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_double2(__treadle_unit_double(x.x, x.y), __treadle_unit_double(x.z, x.w));
}
__TREADLE_RANDOM __treadle_double4 __treadle_joined(double2 a, double2 b) {
  __treadle_double4 result;
  result.x = a.x;
  result.y = a.y;
  result.z = b.x;
  result.w = b.y;
  return result;
}
__TREADLE_RANDOM __treadle_double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 first = curand_uniform2_double(state);
  return __treadle_joined(first, curand_uniform2_double(state));
}
}
