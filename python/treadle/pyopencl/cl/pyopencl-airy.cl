// SPDX-License-Identifier: MIT
// Airy's functions Ai and Bi of real numbers and their derivatives, in double: about zero by their
// power series (DLMF 9.4), elsewhere by Bessel functions of orders 1/3 and 2/3 of zeta = 2/3 |x|^(3/2)
// (DLMF 9.6), of which sixteen digits are not enough for the phase: it is kept as two numbers.
#pragma once

#include <treadle-bessel-modified.cl>

static inline void treadle_airy_series(double x, double *ai, double *aip, double *bi, double *bip) {
  const double at_zero = 0.35502805388781723926, slope = 0.25881940379280679840, cube = x * x * x;
  const double root3 = 1.7320508075688772935;
  double f = 1, f_slope = 0, g = x, g_slope = 1;
  double f_term = 1, g_term = x;
  for (int k = 1; k < 30; ++k) {
    f_slope += f_term * x * x / (3 * k - 1);
    f_term *= cube / ((3 * k - 1) * (3.0 * k));
    g_slope += g_term * x * x / (3 * k);
    g_term *= cube / ((3.0 * k) * (3 * k + 1));
    f += f_term;
    g += g_term;
    if (fabs(f_term) + fabs(g_term) < 1e-18) break;
  }
  *ai = at_zero * f - slope * g;
  *aip = at_zero * f_slope - slope * g_slope;
  *bi = root3 * (at_zero * f + slope * g);
  *bip = root3 * (at_zero * f_slope + slope * g_slope);
}

// zeta of a positive x, and what its rounding took away.
static inline double treadle_airy_phase(double x, double *rest) {
  const double root = sqrt(x), root_rest = fma(-root, root, x) / (2 * root);
  const double power = x * root, power_rest = fma(x, root, -power) + x * root_rest;
  const double zeta = 2 * power / 3;
  *rest = (fma(-3.0, zeta, 2 * power) + 2 * power_rest) / 3;
  return zeta;
}

// The four values; 0.
static inline int airy(double x, double *ai, double *aip, double *bi, double *bip) {
  if (fabs(x) <= 1) {
    treadle_airy_series(x, ai, aip, bi, bip);
    return 0;
  }
  if (!(x < 1000)) {  // the limits, or no number
    *ai = *aip = isnan(x) ? x : 0;
    *bi = *bip = x;
    if (x >= 1000) *bi = *bip = INFINITY;
    return 0;
  }
  double rest;
  const double size = fabs(x), zeta = treadle_airy_phase(size, &rest), root3 = 1.7320508075688772935;
  const double scale = sqrt(size / 3), slope_scale = size / root3;
  if (x > 0) {
    // In two steps, for the functions are finite where e^zeta is not.
    double k1, k2, power;
    treadle_k_near(-1.0 / 3, zeta, &k1, &k2);
    const double halved = exp(-0.5 * zeta);
    *ai = M_1_PI * scale * k1 * halved * (halved * (1 - rest));
    *aip = -M_1_PI * slope_scale * k2 * halved * (halved * (1 - rest));
    // I_-v = I_v + 2 / pi sin(v pi) K_v, of e^zeta the scaled part
    const double grown = exp(0.5 * zeta), part = root3 * M_1_PI * exp(-2 * zeta);
    const double i1 = 2 * treadle_i_scaled(1.0 / 3, zeta, &power) + part * k1;
    const double i2 = 2 * treadle_i_scaled(2.0 / 3, zeta, &power) + part * k2;
    *bi = scale * i1 * grown * (grown * (1 + rest));
    *bip = slope_scale * i2 * grown * (grown * (1 + rest));
    return 0;
  }
  // H_(1/3) = e^(-i pi / 3) H_(-1/3), and e^(i rest), for zeta is rounded
  const cdouble_t turn = cdouble_mul(cdouble_new(0.5 * root3, -0.5), cdouble_new(cos(rest), sin(rest)));
  cdouble_t h1, h2;
  treadle_hankel_near(-1.0 / 3, zeta, &h1, &h2);
  h1 = cdouble_mul(h1, turn);
  h2 = cdouble_mul(h2, turn);
  *ai = scale * h1.real;
  *bi = -scale * h1.imag;
  *aip = slope_scale * h2.real;
  *bip = -slope_scale * h2.imag;
  return 0;
}
