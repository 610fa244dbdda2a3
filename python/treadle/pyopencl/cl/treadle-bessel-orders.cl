// SPDX-License-Identifier: MIT
// Bessel functions of real orders, in double: J, Y and the modified I and K, of real numbers.
//
// Two orders next to zero give all others by recurrence, which is stable for Y and K upwards, and for J
// upwards to x and downwards from above it (DLMF 10.74(iv)). It is done in two doubles, for as many
// steps as an order has would lose more digits than 1e-14 allows. The two orders come
//   below x = 2 from power series, of Y and K as N. M. Temme has them (Journal of Computational Physics
//     19 (1975) 324 and 21 (1976) 343), for those do not lose digits for orders next to zero;
//   above x = 25 from Hankel's expansion (DLMF 10.17.5), the last term of which is below e^(-2 x);
//   in between from integrals along the real line, of which the trapezoidal rule has all digits:
//
//   K_v(x) = integral of e^(-x cosh t) cosh(v t) over t > 0                             (DLMF 10.32.9)
//   H_v(x) = 1 / (pi i) integral of e^(x sinh t - v t) from -infinity to infinity + pi i   (DLMF 10.9.18)
//
// The second is taken along the path of steepest descent, t = s + i (pi / 2 + gd s), gd s = atan(sinh s),
// where x sinh t = i x - x sinh s tanh s.
#pragma once

#define PYOPENCL_DEFINE_CDOUBLE
#include <pyopencl-complex.h>
#include <treadle-two-doubles.cl>

// The part of an order beside a whole number: |broken| <= 1/2.
static inline double treadle_broken_order(double v) { return v - rint(v); }

// 2 (start + k) / x here + added: the next order, or the one before. `inverse` is 1 / x.
static inline double2 treadle_next_order(double start, double k, double x, double inverse, double2 here,
                                         double2 added) {
  const double order = start + k, order_rest = start - (order - k), factor = order * inverse;
  const double2 factors = (double2)(factor, (fma(-factor, x, order) + order_rest) * inverse);
  return treadle_sum_of_pairs(treadle_product_of_pairs(factors, 2 * here), added);
}

// 1 / gamma(1 + v) and 1 / gamma(1 - v) for |v| <= 1/2 (DLMF 5.7.1); minus the odd part over v.
static inline void treadle_inverse_gammas(double v, double *above, double *below, double *odd) {
  const double square = v * v;
  const double even =
      1 + square * (-0.655878071520253881077 + square * (0.1665386113822914895017 +
      square * (-0.009621971527876973562115 + square * (-0.001165167591859065112114 +
      square * (0.0001280502823881161861532 + square * (-0.000001250493482142670657345 +
      square * (-2.05633841697760710345e-7 + square * (5.002007644469222930056e-9 +
      square * (1.043426711691100510492e-10 + square * -3.696805618642205708188e-12)))))))));
  *odd = -(0.5772156649015328606065 + square * (-0.042002635034095235529 +
      square * (-0.04219773455554433674821 + square * (0.007218943246663099542395 +
      square * (-0.0002152416741149509728157 + square * (-0.00002013485478078823865569 +
      square * (0.000001133027231981695882374 + square * (6.116095104481415817862e-9 +
      square * (-1.181274570487020144588e-9 + square * (7.78226343990507125405e-12 +
      square * 5.100370287454475979015e-13))))))))));
  *above = even - v * *odd;
  *below = even + v * *odd;
}

// (x / 2)^v / gamma(v + 1) times the series of J (sign 1) or I (sign -1) (DLMF 10.2.2, 10.25.2), v > -1,
// for x x <= v + 1 or x < 2.
static inline double treadle_j_series(double v, double x, double sign) {
  const double start = treadle_broken_order(v), halved = 0.5 * x, factor = -sign * halved * halved;
  double above, below, odd;
  treadle_inverse_gammas(start, &above, &below, &odd);
  double2 power = (double2)(pow(halved, start) * above, 0);
  const double count = v - start;
  for (double k = 1; k <= count && power.x != 0; ++k) {
    const double order = start + k, rest = start - (order - k);
    const double2 quotient = treadle_quotient_of_two(halved, order, -halved * rest / order);
    power = treadle_product_of_pairs(power, quotient);
  }
  if (count < 0) power.x *= (start + 1 + count) / halved;  // -1 < v < -1/2
  double term = 1, sum = 0;
  for (int k = 1; k < 40; ++k) {
    term *= factor / (k * (v + k));
    sum += term;
    if (fabs(term) < 1e-18) break;
  }
  return power.x + power.x * sum;
}

// Y of the orders v and v + 1 (sign 1), or K (sign -1): |v| <= 1/2, 0 < x <= 2, by Temme's series.
static inline void treadle_temme(double v, double x, double sign, double *here, double *above) {
  const double halved = 0.5 * x, angle = M_PI * v;
  const double fall = x < 1e-300 ? M_LN2 - log(x) : -log(halved), slope = v * fall;
  double gamma_above, gamma_below, odd;
  treadle_inverse_gammas(v, &gamma_above, &gamma_below, &odd);
  const double power = pow(halved, -v), inverse = 1 / power;
  const double cosine = 0.5 * (power + inverse);
  const double slow = fabs(slope) < 1 ? (slope == 0 ? 1 : sinh(slope) / slope)
                                      : 0.5 * (power - inverse) / slope;
  const double even = 0.5 * (gamma_above + gamma_below);
  double f = (v == 0 ? 1 : angle / sinpi(v)) * (odd * cosine + even * slow * fall);
  double p = 0.5 * power / gamma_above, q = 0.5 * inverse / gamma_below;
  // of Y: 2 / pi sin(pi v / 2)^2 / v
  const double sine = sinpi(0.5 * v), turn = sign < 0 || v == 0 ? 0 : 2 * sine * sine / v;
  double c = 1, sum = f + turn * q, sum_above = p;
  for (int k = 1; k < 40; ++k) {
    f = (k * f + p + q) / ((k - v) * (k + v));
    c *= -sign * halved * halved / k;
    p /= k - v;
    q /= k + v;
    const double term = f + turn * q;
    sum += c * term;
    sum_above += c * (p - k * term);
    if (fabs(c * term) < 1e-17 * fabs(sum) && fabs(c * p) < 1e-17 * fabs(sum_above)) break;
  }
  const double scale = sign < 0 ? 1 : -2 * M_1_PI;
  *here = scale * sum;
  *above = scale * 2 * sum_above / x;
}

// The sum of Hankel's expansion, i^k a_k(v) / x^k, for |v| < 2 and x > 25.
static inline cdouble_t treadle_hankel_expansion(double v, double x) {
  const double square = 4 * v * v;
  double term = 1, real = 1, imaginary = 0;
  for (int k = 1; k < 50; ++k) {
    const double odd = 2 * k - 1;
    term *= (square - odd * odd) / (8 * k * x);
    if (k & 1)
      imaginary += k & 2 ? -term : term;
    else
      real += k & 2 ? -term : term;
    if (fabs(term) < 1e-18) break;
  }
  return cdouble_new(real, imaginary);
}

// e^(-i x) i^v H_v(x) and e^(-i x) i^v H_(v+1)(x), of the first kind: |v| <= 1/2, x >= 2.
static inline void treadle_hankel_pair(double v, double x, cdouble_t *here, cdouble_t *above) {
  if (x > 25) {
    const double scale = 1 / sqrt(M_PI * x);  // sqrt(2 / (pi x)) e^(-i pi / 4) without (1 - i)
    *here = cdouble_mul(cdouble_new(scale, -scale), treadle_hankel_expansion(v, x));
    *above = cdouble_mul(cdouble_new(-scale, -scale), treadle_hankel_expansion(v + 1, x));
    return;
  }
  const double step = fmin(0.13, 0.39 / sqrt(x));
  double real = 1, imaginary = 1;  // s = 0, the factor 1 + i / cosh s
  double real_above = 1, imaginary_above = 1;
  for (int k = 1; k < 400; ++k) {
    const double s = k * step, sine = sinh(s), cosine = sqrt(1 + sine * sine);
    const double secant = 1 / cosine, decay = x * sine * sine * secant;
    // |v| s grows slower than the decay does.
    if (decay - 2 * s > 45) break;
    const double weight = exp(-decay), angle = v == 0 ? 0 : v * atan(sine);
    double c = v == 0 ? 1 : cos(angle), d = v == 0 ? 0 : sin(angle), e = v == 0 ? 1 : exp(v * s);
    // e^(-v (s + i gd s)) + e^(v (s + i gd s)), each times 1 + i / cosh s
    double sum = c * (e + 1 / e), difference = d * (e - 1 / e);
    real += weight * (sum - secant * difference);
    imaginary += weight * (difference + secant * sum);
    // gd s has the cosine 1 / cosh s and the sine tanh s.
    const double turned = secant * (c - d * sine);
    d = secant * (d + c * sine);
    c = turned;
    e *= sine + cosine;
    sum = c * (e + 1 / e);
    difference = d * (e - 1 / e);
    real_above += weight * (sum - secant * difference);
    imaginary_above += weight * (difference + secant * sum);
  }
  // 1 / (pi i) = -i / pi
  *here = cdouble_new(step * M_1_PI * imaginary, -step * M_1_PI * real);
  *above = cdouble_new(-step * M_1_PI * real_above, -step * M_1_PI * imaginary_above);
}

// H_v(x) and H_(v+1)(x) of the first kind: |v| <= 1/2, x > 0.
static inline void treadle_hankel_near(double v, double x, cdouble_t *here, cdouble_t *above) {
  if (x < 2) {
    treadle_temme(v, x, 1, &here->imag, &above->imag);
    here->real = treadle_j_series(v, x, 1);
    above->real = treadle_j_series(v + 1, x, 1);
    return;
  }
  treadle_hankel_pair(v, x, here, above);
  const cdouble_t wave = cdouble_mul(cdouble_new(cos(x), sin(x)),
                                     cdouble_new(cospi(0.5 * v), -sinpi(0.5 * v)));
  *here = cdouble_mul(*here, wave);
  *above = cdouble_mul(*above, wave);
}

// Of two neighbours f of the orders start and start + 1 the one of start + count.
static inline double treadle_orders_above(double start, double count, double x, double here, double above) {
  if (count < 1) return here;
  const double inverse = 1 / x;
  double2 below = (double2)(here, 0), last = (double2)(above, 0);
  for (double k = 1; k < count && isfinite(last.x); ++k) {
    const double2 next = treadle_next_order(start, k, x, inverse, last, -below);
    below = last;
    last = next;
  }
  return isfinite(last.x) ? last.x : copysign((double)INFINITY, below.x);
}

// Whether J_v(x), v > x > 0, is below every double, by its bound e^(-v (a - tanh a)), v = x cosh a
// (DLMF 10.14.5).
static inline bool treadle_j_vanishes(double v, double x) {
  const double quotient = fmin(v / x, 1e300), near = 1 / quotient;
  return v * (acosh(quotient) - sqrt((1 - near) * (1 + near))) > 760;
}

// J of an order v > x by recurrence from far above down to zero (J. C. P. Miller).
static inline double treadle_j_below(double v, double x) {
  const double start = treadle_broken_order(v), count = v - start, inverse = 1 / x;
  const double less = 3.0549363634996046820e-151;  // 2^-500
  double2 above = (double2)(0, 0), here = (double2)(1, 0);
  double found = 0;
  for (double k = count + rint(12 + 9 * cbrt(v)); k > 0; --k) {
    // `here` is J of the order start + k, but for one factor for all.
    if (k == count) found = here.x;
    const double2 below = treadle_next_order(start, k, x, inverse, here, -above);
    above = here;
    here = below;
    if (fabs(here.x) * less > 1) {
      above *= less;
      here *= less;
      found *= less;
    }
  }
  cdouble_t first, second;
  treadle_hankel_near(start, x, &first, &second);
  const double square = here.x * here.x + above.x * above.x;
  return found * ((first.real * here.x + second.real * above.x) / square);
}

static inline double treadle_j_positive(double v, double x) {
  if (x == 0) return v == 0 ? 1 : 0;
  if (isinf(x)) return 0;
  if (v > x && treadle_j_vanishes(v, x)) return 0;
  if (x < 2 || x * x <= v + 1) return treadle_j_series(v, x, 1);
  if (v > x) return treadle_j_below(v, x);
  const double start = treadle_broken_order(v);
  cdouble_t here, above;
  treadle_hankel_near(start, x, &here, &above);
  return treadle_orders_above(start, v - start, x, here.real, above.real);
}

static inline double treadle_y_positive(double v, double x) {
  if (x == 0) return -INFINITY;
  if (isinf(x)) return 0;
  const double start = treadle_broken_order(v);
  cdouble_t here, above;
  treadle_hankel_near(start, x, &here, &above);
  return treadle_orders_above(start, v - start, x, here.imag, above.imag);
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

// Of a whole order.
static inline double bessel_jn(int n, double x) { return bessel_jv(n, x); }
static inline double bessel_j0(double x) { return bessel_jv(0, x); }
static inline double bessel_j1(double x) { return bessel_jv(1, x); }
static inline double bessel_yn(int n, double x) { return bessel_yv(n, x); }
static inline double bessel_y0(double x) { return bessel_yv(0, x); }
static inline double bessel_y1(double x) { return bessel_yv(1, x); }
