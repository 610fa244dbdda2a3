// SPDX-License-Identifier: MIT
// Gives: 1 1 1
// The parts of curand_kernel.h under their own names, in any order.
#include <curand_philox4x32_x.h>
#include <curand_uniform.h>
//
#include <curand.h>
#include <curand_globals.h>
#include <curand_kernel.h>
#include <curand_lognormal.h>
#include <curand_mrg32k3a.h>
#include <curand_normal.h>
#include <curand_poisson.h>

extern "C" __global__ void k(long long* out) {
  curandStatePhilox4_32_10_t philox;
  curandStateMRG32k3a mrg;
  curand_init(1, threadIdx.x, 0, &philox);
  curand_init(1, threadIdx.x, 0, &mrg);
  out[0] = curand_uniform4(&philox).w <= 1;
  out[1] = curand_log_normal(&mrg, 0, 1) > 0;
  out[2] = fabsf(curand_normal(&philox)) < 10;
}
