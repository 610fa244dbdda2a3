// SPDX-License-Identifier: MIT
// bessel_iv(v, x), bessel_kv(v, x): modified Bessel functions of real orders, in double, as
// treadle-bessel-orders.cl says. K grows with its order, I shrinks: both are kept as a number and a
// power of 2^600, and times e^x and e^-x, for neither of the two need be a double where the product is.
#pragma once

#include <treadle-bessel-orders.cl>

// number 2^(600 power) e^(-x) (sign 1), or over that (sign -1). The sum in the exponent is exact, and of
// its exponential half at a time is taken: the number may make a double of it.
static inline double treadle_grown(double number, double power, double x, double sign) {
  const double scale = 415.88830833596717, scale_rest = 1.8355172981578424e-14;  // 600 log 2
  const double2 product = treadle_product_of_pairs((double2)(power, 0), (double2)(scale, scale_rest));
  const double2 exponent = treadle_sum_of_pairs(product, (double2)(-x, 0));
  const double halved = sign * exponent.x < -2000 ? 0 : exp(sign * 0.5 * exponent.x);
  return number * halved * (halved * (1 + sign * exponent.y));
}

// e^x K of the orders v and v + 1 for |v| <= 1/2, x > 0.
static inline void treadle_k_near(double v, double x, double *here, double *above) {
  if (x < 1) {
    treadle_temme(v, x, -1, here, above);
    const double grown = exp(x);
    *here *= grown;
    *above *= grown;
    return;
  }
  const double step = fmin(0.2, 0.65 / sqrt(x));
  double sum = 0.5, sum_above = 0.5;  // t = 0, of which the line has one halved
  for (int k = 1; k < 400; ++k) {
    const double t = k * step, halved = sinh(0.5 * t), decay = 2 * x * halved * halved;
    if (decay - 2 * t > 45) break;
    const double weight = exp(-decay);
    sum += weight * cosh(v * t);
    sum_above += weight * cosh((v + 1) * t);
  }
  *here = step * sum;
  *above = step * sum_above;
}

// e^x K of the orders v and v + 1 over 2^(600 power), v >= 0, x > 0.
static inline void treadle_k_pair(double v, double x, double *here, double *above, double *power) {
  const double start = treadle_broken_order(v), count = v - start, inverse = 1 / x;
  const double less = 2.4099198651028841177e-181;  // 2^-600
  treadle_k_near(start, x, here, above);
  *power = 0;
  double2 below = (double2)(*here, 0), last = (double2)(*above, 0);
  for (double k = 1; k <= count; ++k) {
    if (last.x * less > 1) {
      below *= less;
      last *= less;
      *power += 1;
    }
    const double2 next = treadle_next_order(start, k, x, inverse, last, below);
    below = last;
    last = next;
  }
  *here = below.x;
  *above = last.x;
}

// The modified function of the second kind, of a real order; infinity at 0, nan below it.
static inline double bessel_kv(double v, double x) {
  if (isnan(x) || isnan(v) || x < 0) return NAN;
  if (x == 0) return INFINITY;
  if (isinf(x)) return 0;
  double here, above, power;
  treadle_k_pair(fabs(v), x, &here, &above, &power);
  return isfinite(here) ? treadle_grown(here, power, x, 1) : INFINITY;
}

// The quotient of neighbours I_(v+1)(x) / I_v(x), by Lentz's method.
static inline double treadle_i_quotient(double v, double x) {
  const double twice = 2 / x;
  double f = 1e-300, c = f, d = 0;
  for (int k = 1; k < 100000; ++k) {
    const double b = (v + k) * twice;
    d = 1 / (b + d);
    c = b + 1 / c;
    const double change = c * d;
    f *= change;
    if (fabs(change - 1) < 1e-16) break;
  }
  return f;
}

// e^(-x) I_v(x) by Hankel's expansion (DLMF 10.40.1), for x far above the order.
static inline double treadle_i_expansion(double v, double x) {
  const double square = 4 * v * v;
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2 * k - 1, next = -term * (square - odd * odd) / (8 * k * x);
    if (fabs(next) > fabs(term) && k > v) break;
    term = next;
    sum += term;
    if (fabs(term) < 1e-17 * fabs(sum)) break;
  }
  return sum / sqrt(2 * M_PI * x);
}

// e^(-x) I_v(x) times 2^(600 power), v >= 0, x > 0: by its quotient and its Wronskian with K.
static inline double treadle_i_scaled(double v, double x, double *power) {
  *power = 0;
  if (x > 40 && x > v * v) return treadle_i_expansion(v, x);
  double here, above;
  treadle_k_pair(v, x, &here, &above, power);
  return 1 / (x * (above + treadle_i_quotient(v, x) * here));
}

static inline double treadle_i_positive(double v, double x) {
  if (isinf(x)) return INFINITY;
  if (x * x <= v + 1) return treadle_j_series(v, x, -1);
  double power;
  const double found = treadle_i_scaled(v, x, &power);
  return treadle_grown(found, power, x, -1);
}

// The modified function of the first kind, of a real order. nan for x < 0 where that is no integer.
static inline double bessel_iv(double v, double x) {
  const bool is_whole = v == rint(v);
  if (isnan(x) || isnan(v) || (x < 0 && !is_whole)) return NAN;
  if (x == 0) return v == 0 ? 1 : v > 0 || is_whole ? 0 : sinpi(v) > 0 ? -INFINITY : INFINITY;
  const double found = treadle_i_positive(fabs(v), fabs(x));
  if (is_whole) return x < 0 && treadle_is_odd(v) ? -found : found;
  if (v > 0) return found;
  return found - 2 * M_1_PI * sinpi(v) * bessel_kv(v, x);  // DLMF 10.27.2
}
