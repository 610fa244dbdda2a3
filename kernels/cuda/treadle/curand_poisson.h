// SPDX-License-Identifier: MIT
// Poisson numbers. Small means multiply uniform numbers until the product falls to e^-lambda (Knuth, The Art of Computer
// Programming 2, 3.4.1); large means take the normal distribution of the same mean and variance, with half a step for
// continuity, which any text on the limit of the distribution has (Gentle, Random Number Generation and Monte Carlo
// Methods, 2003). The sequences of these two are cuRAND's, and so are the means at which the method changes: recorded
// draws hold them. Between, and there alone, they are not: numbers come from Hörmann's transformed rejection ("The
// transformed rejection method for generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993,
// algorithm PTRS, whose constants these are). Quasirandom draws, one for a number, go through the inverse of the
// distribution.
#pragma once

#include "treadle/curand_normal.h"

extern "C++" {

#define __TREADLE_POISSON_SMALL 64.0
#define __TREADLE_POISSON_LARGE 4000.0

template <class State>
__TREADLE_RANDOM unsigned int __treadle_poisson_product(State* state, double lambda) {
  const float end = static_cast<float>(exp(-lambda));
  unsigned int count = 0;
  for (float product = curand_uniform(state); product > end; product *= curand_uniform(state)) ++count;
  return count;
}

__TREADLE_RANDOM unsigned int __treadle_poisson_rounded(double normal, double lambda) {
  return static_cast<unsigned int>(sqrt(lambda) * normal + lambda + 0.5);
}

// A hat of the form (2a / (1/2 - |u|) + b) u + c over the distribution; most draws fall where it fits without a look.
template <class State>
__TREADLE_RANDOM unsigned int __treadle_poisson_rejection(State* state, double lambda) {
  const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), fits = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
    const double edge = 0.5 - fabs(u);
    const double k = floor((2 * a / edge + b) * u + lambda + 0.43);
    if (edge >= 0.07 && v <= fits) return static_cast<unsigned int>(k);
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    if (log(v) + log(inverse_alpha) - log(a / (edge * edge) + b) <= k * log(lambda) - lambda - lgamma(k + 1))
      return static_cast<unsigned int>(k);
  }
}

#define __TREADLE_POISSON(State)                                                                             \
  __TREADLE_RANDOM unsigned int curand_poisson(State* state, double lambda) {                          \
    if (lambda < __TREADLE_POISSON_SMALL) return __treadle_poisson_product(state, lambda);                   \
    if (lambda <= __TREADLE_POISSON_LARGE) return __treadle_poisson_rejection(state, lambda);                \
    return __treadle_poisson_rounded(curand_normal_double(state), lambda);                                   \
  }
__TREADLE_POISSON(curandStateXORWOW_t)
__TREADLE_POISSON(curandStateMRG32k3a_t)
__TREADLE_POISSON(curandStatePhilox4_32_10_t)
#undef __TREADLE_POISSON

__TREADLE_RANDOM uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  if (lambda <= __TREADLE_POISSON_LARGE) {
    uint4 result;
    result.x = curand_poisson(state, lambda);
    result.y = curand_poisson(state, lambda);
    result.z = curand_poisson(state, lambda);
    result.w = curand_poisson(state, lambda);
    return result;
  }
  const __treadle_double4 n = curand_normal4_double(state);
  return make_uint4(__treadle_poisson_rounded(n.x, lambda), __treadle_poisson_rounded(n.y, lambda),
                    __treadle_poisson_rounded(n.z, lambda), __treadle_poisson_rounded(n.w, lambda));
}

/// The smallest k whose distribution function reaches u: from the mean, up or down, term by term.
__TREADLE_RANDOM unsigned int __treadle_poisson_inverse(double u, double lambda) {
  double k = floor(lambda);
  double term = exp(k * log(lambda) - lambda - lgamma(k + 1));
  double above = 0;  // the sum of the terms beyond the middle, from the far end, keeps its small parts
  double sum = 0;
  double next = term;
  for (double i = k; next > 0 && i >= 0; --i) {
    sum += next;
    next *= i / lambda;
  }
  while (sum < u) {
    ++k;
    term *= lambda / k;
    above += term;
    if (term <= above * 1e-17) return static_cast<unsigned int>(k);
    sum += term;
  }
  while (k > 0 && sum - term >= u) {
    sum -= term;
    term *= k / lambda;
    --k;
  }
  return static_cast<unsigned int>(k);
}

#define __TREADLE_POISSON_INVERSE(State)                                                     \
  __TREADLE_RANDOM unsigned int curand_poisson(State* state, double lambda) {          \
    if (lambda > __TREADLE_POISSON_LARGE)                                                    \
      return __treadle_poisson_rounded(curand_normal_double(state), lambda);                 \
    return __treadle_poisson_inverse(curand_uniform_double(state), lambda);                  \
  }
__TREADLE_POISSON_INVERSE(curandStateSobol32_t)
__TREADLE_POISSON_INVERSE(curandStateScrambledSobol32_t)
__TREADLE_POISSON_INVERSE(curandStateSobol64_t)
__TREADLE_POISSON_INVERSE(curandStateScrambledSobol64_t)
#undef __TREADLE_POISSON_INVERSE
}
