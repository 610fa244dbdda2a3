// SPDX-License-Identifier: MIT
// Bessel functions of real orders, in double: J, Y and the modified I and K, for x > 0.
//
// Two integrals along the real line, which the trapezoidal rule has to all digits, give two orders next
// to zero; recurrence, which is stable for Y and K, gives the others (DLMF 10.74).
//
//   K_v(x) = integral of e^(-x cosh t) cosh(v t) over t > 0                             (DLMF 10.32.9)
//   H_v(x) = 1 / (pi i) integral of e^(x sinh t - v t) from -infinity to infinity + pi i   (DLMF 10.9.18)
//
// The second is taken along the path of steepest descent, t = s + i (pi / 2 + gd s), gd s = atan(sinh s),
// where x sinh t = i x - x sinh s tanh s. J and I of orders above x come from Y and K by the quotient of
// two orders, a continued fraction, and the Wronskian.
#pragma once

#define PYOPENCL_DEFINE_CDOUBLE
#include <pyopencl-complex.h>

// e^(-i x) i^v H_v(x) for |v| < 2, x > 0: of the first kind, without its wave.
static inline cdouble_t treadle_hankel_still(double v, double x) {
  const double step = fmin(0.1, 0.4 / sqrt(x));
  double real = 1, imaginary = 1;  // s = 0, the factor 1 + i / cosh s
  for (int k = 1; k < 400; ++k) {
    const double s = k * step, grown = exp(s), shrunk = 1 / grown;
    const double sine = 0.5 * (grown - shrunk), cosine = 0.5 * (grown + shrunk);
    const double decay = x * sine * sine / cosine;
    // |v| s grows slower than the decay does.
    if (decay - 2 * s > 45) break;
    const double angle = v * atan(sine), weight = exp(-decay);
    const double c = cos(angle), d = sin(angle), e = exp(v * s), secant = 1 / cosine;
    // e^(-v (s + i gd s)) + e^(v (s + i gd s)), each times 1 + i / cosh s
    const double sum = c * (e + 1 / e), difference = d * (e - 1 / e);
    real += weight * (sum - secant * difference);
    imaginary += weight * (difference + secant * sum);
  }
  // 1 / (pi i) = -i / pi
  return cdouble_new(step * M_1_PI * imaginary, -step * M_1_PI * real);
}

// H_v(x) of the first kind, |v| < 2.
static inline cdouble_t treadle_hankel_near(double v, double x) {
  const cdouble_t wave = cdouble_mul(cdouble_new(cos(x), sin(x)),
                                     cdouble_new(cospi(0.5 * v), -sinpi(0.5 * v)));
  return cdouble_mul(wave, treadle_hankel_still(v, x));
}

// e^x K_v(x) for |v| < 2, x > 0.
static inline double treadle_k_scaled(double v, double x) {
  const double step = fmin(0.2, 0.65 / sqrt(x));
  double sum = 0.5;  // t = 0, of which the line has one half
  for (int k = 1; k < 400; ++k) {
    const double t = k * step, halved = sinh(0.5 * t), decay = 2 * x * halved * halved;
    if (decay - 2 * t > 45) break;
    sum += exp(-decay) * cosh(v * t);
  }
  return step * sum;
}

// Quotients of neighbours, f(v + 1) / f(v), of J (sign 1) and of I (sign -1), by Lentz's method.
static inline double treadle_order_quotient(double v, double x, double sign) {
  const double tiny = 1e-300, twice = 2 / x;
  double f = tiny, c = tiny, d = 0;
  for (int k = 1; k < 100000; ++k) {
    const double a = k == 1 ? 1 : -sign, b = (v + k) * twice;
    d = b + a * d;
    if (d == 0) d = tiny;
    c = b + a / c;
    if (c == 0) c = tiny;
    d = 1 / d;
    const double change = c * d;
    f *= change;
    if (fabs(change - 1) < 1e-16) break;
  }
  return f;
}

// The whole and the broken part of an order: |broken| <= 1/2.
static inline double treadle_broken_order(double v) { return v - rint(v); }

// Y of the orders v and v + 1, v >= -1/2, x > 0.
static inline void treadle_y_pair(double v, double x, double *here, double *above) {
  const double start = treadle_broken_order(v);
  *here = treadle_hankel_near(start, x).imag;
  *above = treadle_hankel_near(start + 1, x).imag;
  const int count = (int)(v - start);
  for (int k = 1; k <= count; ++k) {
    const double next = isinf(*above) ? *above : 2 * (start + k) / x * *above - *here;
    *here = *above;
    *above = next;
  }
}

// (x / 2)^v / gamma(v + 1) times the series of J or I, for x below 2.
static inline double treadle_j_series(double v, double x) {
  const double factor = -0.25 * x * x;
  double term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) {
    term *= factor / (k * (v + k));
    sum += term;
    if (fabs(term) < 1e-17 * fabs(sum)) break;
  }
  return pow(0.5 * x, v) / tgamma(v + 1) * sum;
}

static inline double treadle_j_positive(double v, double x) {
  if (x == 0) return v == 0 ? 1 : 0;
  if (v > x) {
    double here, above;
    treadle_y_pair(v, x, &here, &above);
    if (isinf(above)) return 0;
    return 2 * M_1_PI / x / (treadle_order_quotient(v, x, 1) * here - above);
  }
  if (x < 2) return treadle_j_series(v, x);
  const double start = treadle_broken_order(v);
  double here = treadle_hankel_near(start, x).real, above = treadle_hankel_near(start + 1, x).real;
  const int count = (int)(v - start);
  for (int k = 1; k <= count; ++k) {
    const double next = 2 * (start + k) / x * above - here;
    here = above;
    above = next;
  }
  return here;
}

static inline double treadle_y_positive(double v, double x) {
  if (x == 0) return -INFINITY;
  double here, above;
  treadle_y_pair(v, x, &here, &above);
  return here;
}

static inline bool treadle_is_odd(double v) { return fmod(v, 2.0) != 0; }

// J of a real order. nan for x < 0 where the order is no integer.
static inline double bessel_jv(double v, double x) {
  const bool is_whole = v == rint(v);
  if (isnan(x) || isnan(v) || (x < 0 && !is_whole)) return NAN;
  const double found = treadle_j_positive(fabs(v), fabs(x));
  if (is_whole) return (v < 0) != (x < 0) && treadle_is_odd(v) ? -found : found;
  if (v > 0) return found;
  return cospi(v) * found + sinpi(v) * treadle_y_positive(-v, x);  // DLMF 10.4.7, of -v
}

// Y of a real order. -infinity at 0, nan below it.
static inline double bessel_yv(double v, double x) {
  if (isnan(x) || isnan(v) || x < 0) return NAN;
  if (v >= 0) return treadle_y_positive(v, x);
  const double y = cospi(-v) == 0 ? 0 : cospi(-v) * treadle_y_positive(-v, x);
  return sinpi(-v) == 0 ? y : sinpi(-v) * treadle_j_positive(-v, x) + y;
}

// e^x K of the orders v and v + 1, v >= -1/2, x > 0.
static inline void treadle_k_pair(double v, double x, double *here, double *above) {
  const double start = treadle_broken_order(v);
  *here = treadle_k_scaled(start, x);
  *above = treadle_k_scaled(start + 1, x);
  const int count = (int)(v - start);
  for (int k = 1; k <= count; ++k) {
    const double next = *here + 2 * (start + k) / x * *above;
    *here = *above;
    *above = next;
  }
}

// The modified function of the second kind, of a real order; infinity at 0, nan below it.
static inline double bessel_kv(double v, double x) {
  if (isnan(x) || isnan(v) || x < 0) return NAN;
  if (x == 0) return INFINITY;
  double here, above;
  treadle_k_pair(fabs(v), x, &here, &above);
  return exp(-x) * here;
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

// e^(-x) I_v(x), v >= 0, x > 0.
static inline double treadle_i_scaled(double v, double x) {
  if (x > 40 && x > v * v) return treadle_i_expansion(v, x);
  double here, above;
  treadle_k_pair(v, x, &here, &above);
  if (isinf(above)) return 0;
  return 1 / (x * (above + treadle_order_quotient(v, x, -1) * here));
}

// The modified function of the first kind, of a real order. nan for x < 0 where that is no integer.
static inline double bessel_iv(double v, double x) {
  const bool is_whole = v == rint(v);
  if (isnan(x) || isnan(v) || (x < 0 && !is_whole)) return NAN;
  if (x == 0) return v == 0 ? 1 : v > 0 || is_whole ? 0 : sinpi(v) > 0 ? -INFINITY : INFINITY;
  // In two steps, for I is finite where e^x is not.
  const double size = fabs(x), grown = exp(0.5 * size);
  const double found = treadle_i_scaled(fabs(v), size) * grown * grown;
  if (is_whole) return x < 0 && treadle_is_odd(v) ? -found : found;
  if (v > 0) return found;
  return found - 2 * M_1_PI * sinpi(v) * bessel_kv(v, x);  // DLMF 10.27.2
}
