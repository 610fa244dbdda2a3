// SPDX-License-Identifier: MIT
// Bessel and Hankel functions of orders 0, 1, 2 ..., in double: of complex numbers, and of real ones.
//
// Hankel functions of the upper half plane, from |z| = 2 on, are an integral over the real line
//
//   H0(z) = sqrt(2 / (pi z)) e^(i (z - pi/4)) / sqrt(pi) * S,  S = integral of e^(-t t) / sqrt(1 + i t t / (2 z))
//
// (DLMF 10.9.10 with u = t t; H1 alike), of which the trapezoidal rule has sixteen digits in fifty
// terms: the next singularities are sqrt(2) away from the line. Below, power series serve. Bessel
// functions of the first kind come by recurrence from high orders down (Miller), and are scaled by
// the sum that gives e^(i z) or e^(-i z), whichever is the larger.
#pragma once

#define PYOPENCL_DEFINE_CDOUBLE
#include <pyopencl-complex.h>

#define TREADLE_EULER_GAMMA 0.57721566490153286061

static inline cdouble_t treadle_times_i(cdouble_t z) { return cdouble_new(-z.imag, z.real); }

static inline void treadle_hankel_series(cdouble_t z, cdouble_t *h0, cdouble_t *h1) {
  const cdouble_t halved = cdouble_mulr(z, 0.5);
  const cdouble_t factor = cdouble_neg(cdouble_mul(halved, halved));
  cdouble_t term0 = cdouble_new(1, 0), term1 = halved;  // of J0 and of J1
  cdouble_t j0 = term0, j1 = term1;
  double harmonic = 0;
  cdouble_t y0 = cdouble_new(0, 0), y1 = cdouble_mulr(term1, 1 - 2 * TREADLE_EULER_GAMMA);
  for (int k = 1; k < 24; ++k) {
    term0 = cdouble_mulr(cdouble_mul(term0, factor), 1.0 / ((double)k * k));
    term1 = cdouble_mulr(cdouble_mul(term1, factor), 1.0 / ((double)k * (k + 1)));
    harmonic += 1.0 / k;
    j0 = cdouble_add(j0, term0);
    j1 = cdouble_add(j1, term1);
    y0 = cdouble_add(y0, cdouble_mulr(term0, harmonic));
    y1 = cdouble_add(y1, cdouble_mulr(term1, 2 * harmonic + 1.0 / (k + 1) - 2 * TREADLE_EULER_GAMMA));
  }
  const cdouble_t log_half = cdouble_log(halved);
  const cdouble_t log_gamma = cdouble_addr(log_half, TREADLE_EULER_GAMMA);
  y0 = cdouble_mulr(cdouble_sub(cdouble_mul(log_gamma, j0), y0), 2 * M_1_PI);
  y1 = cdouble_sub(cdouble_mulr(cdouble_mul(log_half, j1), 2 * M_1_PI),
                   cdouble_add(cdouble_mulr(y1, M_1_PI), cdouble_rdivide(2 * M_1_PI, z)));
  *h0 = cdouble_add(j0, treadle_times_i(y0));
  *h1 = cdouble_add(j1, treadle_times_i(y1));
}

static inline void treadle_hankel_integral(cdouble_t z, cdouble_t *h0, cdouble_t *h1) {
  const double step = 0.25;
  const cdouble_t slope = treadle_times_i(cdouble_rdivide(0.5, z));
  cdouble_t sum0 = cdouble_new(1, 0), sum1 = cdouble_new(0, 0);  // t = 0; other terms come twice
  for (int k = 1; k <= 26; ++k) {
    const double square = (step * k) * (step * k), weight = 2 * exp(-square);
    const cdouble_t root = cdouble_sqrt(cdouble_addr(cdouble_mulr(slope, square), 1));
    sum0 = cdouble_add(sum0, cdouble_rdivide(weight, root));
    sum1 = cdouble_add(sum1, cdouble_mulr(root, weight * square));
  }
  // e^(i z) sqrt(2 / z) / pi, of which H0 is turned by -pi/4 and H1 by -3 pi/4.
  const cdouble_t wave = cdouble_exp(treadle_times_i(z));
  const cdouble_t scale =
      cdouble_mulr(cdouble_mul(wave, cdouble_sqrt(cdouble_rdivide(2, z))), step * M_1_PI * M_SQRT1_2);
  *h0 = cdouble_mul(cdouble_mul(scale, cdouble_new(1, -1)), sum0);
  *h1 = cdouble_mul(cdouble_mul(cdouble_mulr(scale, 2), cdouble_new(-1, -1)), sum1);
}

static inline void treadle_hankel_above(cdouble_t z, cdouble_t *h0, cdouble_t *h1) {
  if (cdouble_abs(z) < 2)
    treadle_hankel_series(z, h0, h1);
  else
    treadle_hankel_integral(z, h0, h1);
}

// J of `order` and of order + 1, at any z.
static inline void bessel_j_complex(int order, cdouble_t z, cdouble_t *jv, cdouble_t *jvp1) {
  const double size = cdouble_abs(z);
  if (size == 0) {
    *jv = cdouble_new(order == 0 ? 1 : 0, 0);
    *jvp1 = cdouble_new(0, 0);
    return;
  }
  const int sign = z.imag >= 0 ? -1 : 1;
  const double most = fmax((double)order + 1, size);
  const int first = (int)(most + sqrt(60 * most)) + 20;
  const cdouble_t twice = cdouble_rdivide(2, z);
  cdouble_t above = cdouble_new(0, 0), here = cdouble_new(1e-250, 0), sum = cdouble_new(0, 0);
  cdouble_t found = above, found_above = above;
  for (int k = first; k >= 0; --k) {
    // `here` is J of order k, but for one factor for all.
    if (k == order) found = here;
    if (k == order + 1) found_above = here;
    const double weight = k == 0 ? 1 : 2;
    const int turns = k & 3;  // (sign i)^k
    cdouble_t part = cdouble_mulr(here, turns >= 2 ? -weight : weight);
    if (turns & 1) part = cdouble_mulr(treadle_times_i(part), sign);
    sum = cdouble_add(sum, part);
    const cdouble_t below = cdouble_sub(cdouble_mulr(cdouble_mul(twice, here), k), above);
    above = here;
    here = below;
    if (fabs(here.real) + fabs(here.imag) > 1e200) {
      const double less = 1e-200;
      above = cdouble_mulr(above, less);
      here = cdouble_mulr(here, less);
      sum = cdouble_mulr(sum, less);
      found = cdouble_mulr(found, less);
      found_above = cdouble_mulr(found_above, less);
    }
  }
  const cdouble_t total = cdouble_exp(cdouble_mulr(treadle_times_i(z), sign));
  const cdouble_t scale = cdouble_divide(total, sum);
  *jv = cdouble_mul(found, scale);
  *jvp1 = cdouble_mul(found_above, scale);
}

// Hankel functions of the first kind, of orders 0 and 1; times e^(-i z) with `scaled`.
static inline void hankel_01_complex(cdouble_t z, cdouble_t *h0, cdouble_t *h1, int scaled) {
  if (z.imag >= 0) {
    treadle_hankel_above(z, h0, h1);
  } else {  // by those of the second kind, which are those of the first in a mirror
    cdouble_t j0, j1;
    treadle_hankel_above(cdouble_conj(z), h0, h1);
    bessel_j_complex(0, z, &j0, &j1);
    *h0 = cdouble_sub(cdouble_mulr(j0, 2), cdouble_conj(*h0));
    *h1 = cdouble_sub(cdouble_mulr(j1, 2), cdouble_conj(*h1));
  }
  if (scaled) {
    const cdouble_t wave = cdouble_exp(cdouble_neg(treadle_times_i(z)));
    *h0 = cdouble_mul(*h0, wave);
    *h1 = cdouble_mul(*h1, wave);
  }
}

static inline double bessel_jn(int n, double x) {
  double sign = 1;
  if (n < 0) {
    n = -n;
    if (n & 1) sign = -sign;
  }
  if (x < 0) {
    x = -x;
    if (n & 1) sign = -sign;
  }
  cdouble_t one, other;
  if (n >= x) {
    bessel_j_complex(n, cdouble_fromreal(x), &one, &other);
    return sign * one.real;
  }
  treadle_hankel_above(cdouble_fromreal(x), &one, &other);
  double here = one.real, above = other.real;
  for (int k = 0; k < n; ++k) {
    const double next = 2 * (k + 1) / x * above - here;
    here = above;
    above = next;
  }
  return sign * here;
}
static inline double bessel_j0(double x) { return bessel_jn(0, x); }
static inline double bessel_j1(double x) { return bessel_jn(1, x); }

// -infinity at 0, nan below it.
static inline double bessel_yn(int n, double x) {
  double sign = 1;
  if (n < 0) {
    n = -n;
    if (n & 1) sign = -sign;
  }
  if (!(x > 0)) return x == 0 ? -sign * INFINITY : NAN;
  cdouble_t one, other;
  treadle_hankel_above(cdouble_fromreal(x), &one, &other);
  double here = one.imag, above = other.imag;
  for (int k = 0; k < n; ++k) {
    const double next = isinf(above) ? above : 2 * (k + 1) / x * above - here;
    here = above;
    above = next;
  }
  return sign * here;
}
static inline double bessel_y0(double x) { return bessel_yn(0, x); }
static inline double bessel_y1(double x) { return bessel_yn(1, x); }
