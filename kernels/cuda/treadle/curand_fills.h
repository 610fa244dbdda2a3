// SPDX-License-Identifier: MIT
// Kernels that fill memory from states of cuRAND's generators, for pycuda.curandom. Each thread has a state; thread t of
// T draws elements t, t + T, t + 2 T, ... one after the other, or pairs of elements, and leaves its state behind them.
//
//   __TREADLE_FILLS(curandStateXORWOW_t)         those of every generator
//   __TREADLE_PAIR_FILLS(curandStateXORWOW_t)    of those with Box and Muller's pairs
//   __TREADLE_LONG_FILLS(curandStateSobol64_t)   of those with 64 bits
#pragma once

#include "treadle/curand_poisson.h"

extern "C++" {

__TREADLE_RANDOM unsigned int __treadle_fill_word(unsigned int drawn) { return drawn; }
__TREADLE_RANDOM unsigned int __treadle_fill_word(unsigned long long drawn) {
  return static_cast<unsigned int>(drawn >> 32);
}

template <class State, class Element, class Draw>
__TREADLE_RANDOM void __treadle_fill(State* states, Element* data, unsigned long long n, Draw draw) {
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  State state = states[thread];
  for (unsigned long long i = thread; i < n; i += threads) draw(&state, data[i]);
  states[thread] = state;
}
}

#define __TREADLE_FILL(State, name, Element, ...)                                                       \
  struct __treadle_draw_##name {                                                                        \
    double mean, deviation;                                                                             \
    __device__ void operator()(State* state, Element& x) const { __VA_ARGS__; }                         \
  };                                                                                                    \
  __global__ void name(State* states, Element* data, unsigned long long n, double mean, double deviation) { \
    __treadle_fill(states, data, n, __treadle_draw_##name{mean, deviation});                            \
  }

#define __TREADLE_SKIP(State, name, function)                                            \
  __global__ void name(State* states, unsigned long long n) {                            \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                   \
    function(n, &states[thread]);                                                        \
  }                                                                                      \
  __global__ void name##_array(State* states, const unsigned long long* n) {             \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                   \
    function(n[thread], &states[thread]);                                                \
  }

#define __TREADLE_FILLS(State)                                                                              \
  __device__ unsigned int state_bytes = sizeof(State);                                                      \
  __TREADLE_FILL(State, uniform_int, unsigned int, x = __treadle_fill_word(curand(state)))                  \
  __TREADLE_FILL(State, uniform_float, float, x = curand_uniform(state))                                    \
  __TREADLE_FILL(State, uniform_double, double, x = curand_uniform_double(state))                           \
  __TREADLE_FILL(State, normal_float, float, x = curand_normal(state))                                      \
  __TREADLE_FILL(State, normal_double, double, x = curand_normal_double(state))                             \
  __TREADLE_FILL(State, log_normal_float, float,                                                            \
                 x = curand_log_normal(state, static_cast<float>(mean), static_cast<float>(deviation)))     \
  __TREADLE_FILL(State, log_normal_double, double, x = curand_log_normal_double(state, mean, deviation))    \
  __TREADLE_FILL(State, poisson_int, unsigned int, x = curand_poisson(state, mean))                         \
  __TREADLE_FILL(State, poisson_inplace_int, unsigned int, x = curand_poisson(state, static_cast<double>(x))) \
  __TREADLE_FILL(State, poisson_inplace_float, float,                                                       \
                 x = static_cast<float>(curand_poisson(state, static_cast<double>(x))))                     \
  __TREADLE_FILL(State, poisson_inplace_double, double, x = curand_poisson(state, x))                       \
  __TREADLE_SKIP(State, skip_ahead, skipahead)

#define __TREADLE_PAIR_FILLS(State)                                                                         \
  __TREADLE_FILL(State, normal_float2, float2, x = curand_normal2(state))                                   \
  __TREADLE_FILL(State, normal_double2, double2, x = curand_normal2_double(state))                          \
  __TREADLE_FILL(State, log_normal_float2, float2,                                                          \
                 x = curand_log_normal2(state, static_cast<float>(mean), static_cast<float>(deviation)))    \
  __TREADLE_FILL(State, log_normal_double2, double2, x = curand_log_normal2_double(state, mean, deviation)) \
  __TREADLE_SKIP(State, skip_ahead_sequence, skipahead_sequence)                                            \
  __global__ void prepare(State* states, const int* seeds, unsigned long long offset) {                     \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                                      \
    curand_init(seeds[thread], thread, offset, &states[thread]);                                            \
  }

#define __TREADLE_LONG_FILLS(State) \
  __TREADLE_FILL(State, uniform_longlong, unsigned long long, x = curand(state))

#define __TREADLE_SOBOL_PREPARE(State, Vectors, Word)                                                  \
  __global__ void prepare(State* states, Vectors* vectors, unsigned long long offset) {                \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                                 \
    curand_init(vectors[thread], static_cast<Word>(offset), &states[thread]);                          \
  }
#define __TREADLE_SCRAMBLED_PREPARE(State, Vectors, Word)                                              \
  __global__ void prepare(State* states, Vectors* vectors, const Word* constants, unsigned long long offset) { \
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;                                 \
    curand_init(vectors[thread], constants[thread], static_cast<Word>(offset), &states[thread]);       \
  }
