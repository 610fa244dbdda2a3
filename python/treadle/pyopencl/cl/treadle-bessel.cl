// SPDX-License-Identifier: MIT
// Bessel functions of the first kind of whole orders, and Hankel functions of the first kind of the orders
// 0 and 1, in double, of complex numbers.
//
// Near zero both have their power series (DLMF 10.2.2, 10.8.1). From |z| = 25 on both have Hankel's
// expansions (DLMF 10.17), the last term of which is below e^(-2 |z|), for orders up to sqrt |z|. In
// between Hankel functions of the upper half plane are an integral over the real line
//
//   H0(z) = sqrt(2 / (pi z)) e^(i (z - pi/4)) / sqrt(pi) * S,
//   S = integral of e^(-t t) / sqrt(1 + i t t / (2 z)) over t
//
// (DLMF 10.9.10 with u = t t; H1 alike), of which the trapezoidal rule has all digits: the next
// singularities are sqrt |z| away from the line. Those of the lower half plane are
// 2 J(z) - conj H(conj z) (DLMF 10.4.4, 10.11.9).
//
// Other Bessel functions come by recurrence from high orders down (J. C. P. Miller), and are scaled by
// the sum that gives e^(i z) or e^(-i z), whichever is the larger (DLMF 10.12.1), or for |z| > 25, where
// terms of that sum cancel, by the orders 0 and 1. It is done in two doubles for each part, for in as
// many steps as an order has rounding would lose more digits than 1e-14 allows.
//
// A "still" function is one without its wave, which is e^(i z) for Hankel functions, and for Bessel
// functions e^(-i z) in the upper half plane and e^(i z) in the lower: so it does not overflow.
#pragma once

#define PYOPENCL_DEFINE_CDOUBLE
#include <pyopencl-complex.h>
#include <treadle-two-doubles.cl>

#define TREADLE_EULER_GAMMA 0.57721566490153286061

static inline cdouble_t treadle_times_i(cdouble_t z) { return cdouble_new(-z.imag, z.real); }

// number factor e^(sign i z) 2^(-465 power), in two steps where the exponential may be no double.
static inline cdouble_t treadle_with_wave(cdouble_t number, cdouble_t factor, double power, cdouble_t z,
                                          double sign) {
  const cdouble_t exponent = cdouble_mulr(treadle_times_i(z), sign);
  if (fabs(z.imag) < 300 && power == 0)
    return cdouble_mul(number, cdouble_mul(factor, cdouble_exp(exponent)));
  const double2 scale = (double2)(322.3134389603746, -1.419645036968073e-14);  // 465 log 2
  const double2 less = treadle_product_of_pairs((double2)(-power, 0), scale);
  const double2 height = treadle_sum_of_pairs(less, (double2)(exponent.real, 0));
  const cdouble_t root = cdouble_exp(cdouble_new(0.5 * height.x, 0.5 * exponent.imag));
  const cdouble_t first = cdouble_mul(factor, cdouble_mulr(root, 1 + height.y));
  return cdouble_mul(cdouble_mul(number, first), root);
}

// sqrt(2 / (pi z)) and the sum of (turn i)^k a_k(order) / z^k, for |z| > 25 and order^2 <= |z|.
static inline cdouble_t treadle_expansion(double order, cdouble_t z, double turn) {
  const double square = 4 * order * order;
  const cdouble_t factor = cdouble_mulr(treadle_times_i(cdouble_rdivide(1, z)), turn);
  cdouble_t term = cdouble_new(1, 0), sum = term;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2 * k - 1;
    term = cdouble_mulr(cdouble_mul(term, factor), (square - odd * odd) / (8.0 * k));
    sum = cdouble_add(sum, term);
    if (fabs(term.real) + fabs(term.imag) < 1e-18) break;
  }
  return cdouble_mul(sum, cdouble_sqrt(cdouble_rdivide(2 * M_1_PI, z)));
}

// i^turns times a number
static inline cdouble_t treadle_turned(cdouble_t a, int turns) {
  if (turns & 1) a = treadle_times_i(a);
  return turns & 2 ? cdouble_neg(a) : a;
}

static inline void treadle_hankel_series(cdouble_t z, cdouble_t *h0, cdouble_t *h1) {
  const cdouble_t halved = cdouble_mulr(z, 0.5);
  const cdouble_t factor = cdouble_neg(cdouble_mul(halved, halved));
  cdouble_t term0 = cdouble_new(1, 0), term1 = halved;  // of J0 and of J1
  cdouble_t j0 = term0, j1 = term1;
  double harmonic = 0;
  cdouble_t y0 = cdouble_new(0, 0), y1 = cdouble_mulr(term1, 1 - 2 * TREADLE_EULER_GAMMA);
  for (int k = 1; k < 16; ++k) {
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

// For |z| >= 1, in the upper half plane.
static inline void treadle_hankel_still(cdouble_t z, cdouble_t *h0, cdouble_t *h1) {
  const double size = cdouble_abs(z);
  if (size > 25) {
    // e^(-i pi / 4) and e^(-3 i pi / 4)
    *h0 = cdouble_mul(treadle_expansion(0, z, 1), cdouble_new(M_SQRT1_2, -M_SQRT1_2));
    *h1 = cdouble_mul(treadle_expansion(1, z, 1), cdouble_new(-M_SQRT1_2, -M_SQRT1_2));
    return;
  }
  const double step = fmin(0.25, 0.16 * sqrt(size));
  const cdouble_t slope = treadle_times_i(cdouble_rdivide(0.5, z));
  cdouble_t sum0 = cdouble_new(1, 0), sum1 = cdouble_new(0, 0);  // t = 0; other terms come twice
  for (int k = 1; k * step < 6.5; ++k) {
    const double square = (step * k) * (step * k), weight = 2 * exp(-square);
    const cdouble_t root = cdouble_sqrt(cdouble_addr(cdouble_mulr(slope, square), 1));
    sum0 = cdouble_add(sum0, cdouble_rdivide(weight, root));
    sum1 = cdouble_add(sum1, cdouble_mulr(root, weight * square));
  }
  // sqrt(2 / z) / pi, of which H0 is turned by -pi/4 and H1 by -3 pi/4.
  const cdouble_t scale = cdouble_mulr(cdouble_sqrt(cdouble_rdivide(2, z)), step * M_1_PI * M_SQRT1_2);
  *h0 = cdouble_mul(cdouble_mul(scale, cdouble_new(1, -1)), sum0);
  *h1 = cdouble_mul(cdouble_mul(cdouble_mulr(scale, 2), cdouble_new(-1, -1)), sum1);
}

// Complex numbers whose parts are sums of two doubles: recurrence over many orders needs them.
typedef struct {
  double2 real, imag;
} treadle_complex_pair;

static inline treadle_complex_pair treadle_pair_of(cdouble_t a) {
  treadle_complex_pair pair;
  pair.real = (double2)(a.real, 0);
  pair.imag = (double2)(a.imag, 0);
  return pair;
}

static inline cdouble_t treadle_rounded(treadle_complex_pair a) { return cdouble_new(a.real.x, a.imag.x); }

static inline treadle_complex_pair treadle_pair_times(treadle_complex_pair a, double factor) {
  a.real *= factor;
  a.imag *= factor;
  return a;
}

// factor (a b - c d) - last
static inline double2 treadle_cross(double factor, double2 a, double2 b, double2 c, double2 d, double2 last) {
#pragma OPENCL FP_CONTRACT OFF
  const double first = a.x * b.x, second = c.x * d.x;
  const double rest = fma(a.x, b.x, -first) - fma(c.x, d.x, -second) + (a.x * b.y + a.y * b.x) -
                      (c.x * d.y + c.y * d.x);
  const double2 both = treadle_sum_of_two(first, -second, rest);
  const double product = factor * both.x;
  const double product_rest = fma(factor, both.x, -product) + factor * both.y;
  return treadle_sum_of_two(product, -last.x, product_rest - last.y);
}

// factor a b - c
static inline treadle_complex_pair treadle_pair_product(double factor, treadle_complex_pair a,
                                                        treadle_complex_pair b, treadle_complex_pair c) {
  c.real = treadle_cross(factor, a.real, b.real, a.imag, b.imag, c.real);
  c.imag = treadle_cross(factor, a.real, b.imag, -a.imag, b.real, c.imag);
  return c;
}

// 1 / z: by one step of Newton's, w (2 - z w) = w - w (z w - 1).
static inline treadle_complex_pair treadle_pair_inverse(cdouble_t z) {
  const treadle_complex_pair rounded = treadle_pair_of(cdouble_rdivide(1, z));
  const treadle_complex_pair wrong =
      treadle_pair_product(1, treadle_pair_of(z), rounded, treadle_pair_of(cdouble_new(1, 0)));
  return treadle_pair_times(treadle_pair_product(1, rounded, wrong, rounded), -1);
}

// For |z|^2 <= order + 1.
static inline cdouble_t treadle_j_complex_series(int order, cdouble_t z) {
  const cdouble_t halved = cdouble_mulr(z, 0.5);
  const cdouble_t factor = cdouble_neg(cdouble_mul(halved, halved));
  const treadle_complex_pair none = treadle_pair_of(cdouble_new(0, 0)), base = treadle_pair_of(halved);
  treadle_complex_pair power = treadle_pair_of(cdouble_new(1, 0));
  for (int k = 1; k <= order; ++k) {
    power = treadle_pair_product(1, power, base, none);
    power.real = treadle_quotient_of_two(power.real.x, k, power.real.y);
    power.imag = treadle_quotient_of_two(power.imag.x, k, power.imag.y);
  }
  cdouble_t term = treadle_rounded(power);
  cdouble_t sum = term;
  for (int k = 1; k < 24; ++k) {
    term = cdouble_divider(cdouble_mul(term, factor), k * ((double)k + order));
    sum = cdouble_add(sum, term);
  }
  return sum;
}

// For |z| > 25, order^2 <= |z|: half the sum of both Hankel functions.
static inline cdouble_t treadle_j_still_expansion(int order, cdouble_t z, double sign) {
  // J of -z is J of z, or minus it: to where both expansions hold.
  const bool mirrored = z.real < 0;
  if (mirrored) {
    z = cdouble_neg(z);
    sign = -sign;
  }
  // z as of the half plane where e^(sign i z) is large; e^(i (order pi / 2 + pi / 4)) turns it
  const cdouble_t one = cdouble_new(1, 0), eighth = cdouble_new(M_SQRT1_2, -sign * M_SQRT1_2);
  const int turns = sign < 0 ? order & 3 : -order & 3;
  const cdouble_t large = treadle_turned(cdouble_mul(treadle_expansion(order, z, sign), eighth), turns);
  const cdouble_t small = treadle_turned(
      cdouble_mul(treadle_expansion(order, z, -sign), cdouble_conj(eighth)), -turns & 3);
  const cdouble_t both = cdouble_add(large, treadle_with_wave(small, one, 0, z, -2 * sign));
  return cdouble_mulr(both, mirrored && (order & 1) ? -0.5 : 0.5);
}

// J of `order` and of order + 1 over e^(sign i z) and `scale`, by recurrence; the power of 2^-465 that is
// still to be taken of both.
static inline double treadle_j_downwards(int order, cdouble_t z, double sign, cdouble_t *found,
                                       cdouble_t *found_above, cdouble_t *scale) {
  const double size = cdouble_abs(z);
  const double most = fmax(order + 1.0, size);
  const int first = (int)(most + 9.5 * cbrt(most)) + 12;
  const treadle_complex_pair inverse = treadle_pair_inverse(z);
  treadle_complex_pair last = treadle_pair_of(cdouble_new(0, 0)), next = treadle_pair_of(cdouble_new(1, 0));
  cdouble_t sum = cdouble_new(0, 0), here, above = sum;
  double power = 0;
  for (int k = first;; --k) {
    // `here` is J of order k, but for one factor for all.
    here = treadle_rounded(next);
    if (k == order) *found = here;
    if (k == order + 1) *found_above = here;
    const double weight = k == 0 ? 1 : 2 * (k & 1 ? sign : 1);
    sum = cdouble_add(sum, treadle_turned(cdouble_mulr(here, weight), k & 3));  // (sign i)^k
    if (k == 0) break;
    above = here;
    const treadle_complex_pair below = treadle_pair_product(2.0 * k, inverse, next, last);
    last = next;
    next = below;
    if (fabs(next.real.x) + fabs(next.imag.x) > 1e140) {
      const double less = 0x1p-465;
      last = treadle_pair_times(last, less);
      next = treadle_pair_times(next, less);
      above = cdouble_mulr(above, less);
      sum = cdouble_mulr(sum, less);
      if (k <= order)
        power += 1;
      else
        *found_above = cdouble_mulr(*found_above, less);
    }
  }
  *scale = cdouble_rdivide(1, sum);
  if (size > 25) {
    const cdouble_t j0 = treadle_j_still_expansion(0, z, sign), j1 = treadle_j_still_expansion(1, z, sign);
    const double square = cdouble_abs_squared(here) + cdouble_abs_squared(above);
    const cdouble_t both =
        cdouble_add(cdouble_mul(j0, cdouble_conj(here)), cdouble_mul(j1, cdouble_conj(above)));
    *scale = cdouble_divider(both, square);
  }
  return power;
}

// J of `order` and of order + 1 (waves 1), or that over e^(sign i z) (waves 0): order >= 0, |z| >= 1.
static inline void treadle_j_waves(int order, cdouble_t z, double sign, int waves, cdouble_t *jv,
                                   cdouble_t *jvp1) {
  const double size = cdouble_abs(z);
  cdouble_t found = cdouble_new(0, 0), found_above = found, scale = cdouble_new(1, 0);
  double power = 0;
  if (size > 25 && (order + 1.0) * (order + 1.0) <= size) {
    found = treadle_j_still_expansion(order, z, sign);
    found_above = treadle_j_still_expansion(order + 1, z, sign);
  } else {
    power = treadle_j_downwards(order, z, sign, &found, &found_above, &scale);
  }
  *jv = waves ? treadle_with_wave(found, scale, power, z, sign) : cdouble_mul(found, scale);
  *jvp1 = waves ? treadle_with_wave(found_above, scale, power, z, sign) : cdouble_mul(found_above, scale);
}

// J of `order` and of order + 1, at any z.
static inline void bessel_j_complex(int order, cdouble_t z, cdouble_t *jv, cdouble_t *jvp1) {
  const int least = order < 0 ? -order - 1 : order;
  const double size = cdouble_abs(z);
  cdouble_t here, above;
  if (size * size <= least + 1.0) {
    here = treadle_j_complex_series(least, z);
    above = treadle_j_complex_series(least + 1, z);
  } else if (isfinite(size)) {
    const double sign = z.imag >= 0 ? -1 : 1;
    treadle_j_waves(least, z, sign, 1, &here, &above);
  } else {
    here = above = cdouble_new(NAN, NAN);
  }
  if (z.imag == 0) here.imag = above.imag = 0;
  if (order >= 0) {
    *jv = here;
    *jvp1 = above;
  } else {  // J of -n is that of n, or minus it
    *jv = least & 1 ? above : cdouble_neg(above);
    *jvp1 = least & 1 ? cdouble_neg(here) : here;
  }
}

// Hankel functions of the first kind, of orders 0 and 1; times e^(-i z) with `scaled`.
static inline void hankel_01_complex(cdouble_t z, cdouble_t *h0, cdouble_t *h1, int scaled) {
  const cdouble_t one = cdouble_new(1, 0);
  const double size = cdouble_abs(z);
  if (size < 1 || (size < 2 && z.imag < 0.5)) {
    treadle_hankel_series(z, h0, h1);
    if (scaled) {
      *h0 = treadle_with_wave(*h0, one, 0, z, -1);
      *h1 = treadle_with_wave(*h1, one, 0, z, -1);
    }
    return;
  }
  if (z.imag >= 0) {
    treadle_hankel_still(z, h0, h1);
  } else {  // by those of the second kind, which are those of the first in a mirror
    cdouble_t j0, j1;
    treadle_hankel_still(cdouble_conj(z), h0, h1);
    treadle_j_waves(0, z, 1, 0, &j0, &j1);
    *h0 = cdouble_sub(cdouble_mulr(j0, 2), treadle_with_wave(cdouble_conj(*h0), one, 0, z, -2));
    *h1 = cdouble_sub(cdouble_mulr(j1, 2), treadle_with_wave(cdouble_conj(*h1), one, 0, z, -2));
  }
  if (!scaled) {
    *h0 = treadle_with_wave(*h0, one, 0, z, 1);
    *h1 = treadle_with_wave(*h1, one, 0, z, 1);
  }
}
