// SPDX-License-Identifier: MIT
// Airy's functions Ai and Bi of real numbers and their derivatives, in double: about zero by their
// power series (DLMF 9.4), elsewhere by Bessel functions of orders 1/3 and 2/3 of zeta = 2/3 |x|^(3/2)
// (DLMF 9.6), of which sixteen digits are not enough for the phase: it is kept as two numbers.
#pragma once

#include <treadle-bessel-orders.cl>

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
  double rest;
  const double size = fabs(x), zeta = treadle_airy_phase(size, &rest), root3 = 1.7320508075688772935;
  const double scale = sqrt(size / 3), slope_scale = size / root3;
  if (x > 0) {
    // In two steps, for the functions are finite where e^zeta is not.
    const double halved = exp(-0.5 * zeta), k1 = treadle_k_scaled(1.0 / 3, zeta);
    const double k2 = treadle_k_scaled(2.0 / 3, zeta);
    *ai = M_1_PI * scale * k1 * halved * (halved * (1 - rest));
    *aip = -M_1_PI * slope_scale * k2 * halved * (halved * (1 - rest));
    // I_-v = I_v + 2 / pi sin(v pi) K_v, of e^zeta the scaled part
    const double grown = exp(0.5 * zeta), small = halved * halved * halved * halved;
    const double part = root3 * M_1_PI * small;
    *bi = scale * (2 * treadle_i_scaled(1.0 / 3, zeta) + part * k1) * grown * (grown * (1 + rest));
    *bip = slope_scale * (2 * treadle_i_scaled(2.0 / 3, zeta) + part * k2) * grown * (grown * (1 + rest));
    return 0;
  }
  const cdouble_t more = cdouble_new(1, rest);  // e^(i rest)
  const cdouble_t h1 = cdouble_mul(treadle_hankel_near(1.0 / 3, zeta), more);
  const cdouble_t h2 = cdouble_mul(treadle_hankel_near(2.0 / 3, zeta), more);
  *ai = scale * (0.5 * root3 * h1.real - 0.5 * h1.imag);
  *bi = scale * (-0.5 * h1.real - 0.5 * root3 * h1.imag);
  *aip = slope_scale * (0.5 * root3 * h2.real + 0.5 * h2.imag);
  *bip = slope_scale * (0.5 * h2.real - 0.5 * root3 * h2.imag);
  return 0;
}
