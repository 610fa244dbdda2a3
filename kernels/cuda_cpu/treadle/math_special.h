// SPDX-License-Identifier: MIT
// CUDA's math beyond C's: reciprocal roots, functions of multiples of pi, norms, the normal distribution, and the
// fast single-precision forms, which are the ordinary functions here.
#pragma once

__TREADLE_FUNCTION float rsqrtf(float x) { return 1.0f / sqrtf(x); }
__TREADLE_FUNCTION float rsqrt(float x) { return rsqrtf(x); }
__TREADLE_FUNCTION float rcbrt(float x) { return rcbrtf(x); }
__TREADLE_FUNCTION float powif(float x, int n) { return powf(x, static_cast<float>(n)); }
__TREADLE_FUNCTION double powi(double x, int n) { return pow(x, static_cast<double>(n)); }

__TREADLE_FUNCTION void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
__TREADLE_FUNCTION void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
__TREADLE_FUNCTION void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
__TREADLE_FUNCTION float sinpi(float x) { return sinpif(x); }
__TREADLE_FUNCTION float cospi(float x) { return cospif(x); }

// Lengths: an infinite argument gives infinity even beside a NaN, a finite length that overflows does not. Its reciprocal
// is denormal there, and not yet zero.
#define __TREADLE_RECIPROCAL(length, quarter) \
  (__builtin_isinf(length) ? static_cast<decltype(length)>(0.25) / (quarter) : 1 / (length))
#define __TREADLE_NORMS(type, suffix)                                                            \
  __TREADLE_FUNCTION type norm3d##suffix(type a, type b, type c) {                               \
    const bool finite = __builtin_isfinite(a) && __builtin_isfinite(b);                          \
    return c != c && finite ? c : hypot##suffix(hypot##suffix(a, b), c);                         \
  }                                                                                              \
  __TREADLE_FUNCTION type norm4d##suffix(type a, type b, type c, type d) {                       \
    const bool finite = __builtin_isfinite(a) && __builtin_isfinite(b) && __builtin_isfinite(c); \
    return d != d && finite ? d : hypot##suffix(norm3d##suffix(a, b, c), d);                     \
  }                                                                                              \
  __TREADLE_FUNCTION type rhypot##suffix(type a, type b) {                                       \
    return __TREADLE_RECIPROCAL(hypot##suffix(a, b), hypot##suffix(a / 4, b / 4));               \
  }                                                                                              \
  __TREADLE_FUNCTION type rnorm3d##suffix(type a, type b, type c) {                              \
    return __TREADLE_RECIPROCAL(norm3d##suffix(a, b, c), norm3d##suffix(a / 4, b / 4, c / 4));   \
  }                                                                                              \
  __TREADLE_FUNCTION type rnorm4d##suffix(type a, type b, type c, type d) {                      \
    return __TREADLE_RECIPROCAL(norm4d##suffix(a, b, c, d),                                      \
                                norm4d##suffix(a / 4, b / 4, c / 4, d / 4));                     \
  }                                                                                              \
  __TREADLE_FUNCTION type norm##suffix(int count, const type* values) {                          \
    type length = 0;                                                                             \
    for (int i = 0; i < count; ++i) length = hypot##suffix(length, values[i]);                   \
    return length;                                                                               \
  }                                                                                              \
  __TREADLE_FUNCTION type rnorm##suffix(int count, const type* values) {                         \
    return 1 / norm##suffix(count, values);                                                      \
  }
__TREADLE_NORMS(float, f)
__TREADLE_NORMS(double, )
#undef __TREADLE_NORMS
#undef __TREADLE_RECIPROCAL

__TREADLE_FUNCTION float normcdf(float x) { return normcdff(x); }

/// The inverse of erf: a logarithmic first guess, then Halley steps on erf itself, or on erfc near the ends.
__TREADLE_FUNCTION double erfinv(double y) {
  if (!(y > -1.0 && y < 1.0)) {
    return y == 1.0 ? __builtin_huge_val() : y == -1.0 ? -__builtin_huge_val() : __builtin_nan("");
  }
  const double l = log1p(-y * y);
  const double h = 4.3307467508 + 0.5 * l;  // 2 / (pi * 0.147)
  double x = copysign(sqrt(sqrt(h * h - l / 0.147) - h), y);
  for (int step = 0; step < 3; ++step) {
    const double tail = (1.0 - fabs(y)) - erfc(fabs(x));
    const double miss = fabs(y) < 0.5 ? erf(x) - y : y < 0.0 ? -tail : tail;
    const double newton = miss / (1.12837916709551257390 * exp(-x * x));
    x -= newton / (1.0 + x * newton);
  }
  return x;
}
__TREADLE_FUNCTION float erfinvf(float y) {
  return static_cast<float>(erfinv(static_cast<double>(y)));
}
/// The inverse of erfc on (0, 2): as erfinv, but accurate for y close to 0.
__TREADLE_FUNCTION double erfcinv(double y) {
  if (y >= 0.5) return erfinv(1.0 - y);
  if (!(y > 0.0)) return y == 0.0 ? __builtin_huge_val() : __builtin_nan("");
  const double t = sqrt(-2.0 * log(0.5 * y));
  double x = 0.70710678118654752440 *
             (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));
  for (int step = 0; step < 3; ++step) {
    const double newton = (erfc(x) - y) / (-1.12837916709551257390 * exp(-x * x));
    x -= newton / (1.0 + x * newton);
  }
  return x;
}
__TREADLE_FUNCTION float erfcinvf(float y) {
  return static_cast<float>(erfcinv(static_cast<double>(y)));
}
__TREADLE_FUNCTION double normcdfinv(double p) {
  return -1.41421356237309504880 * erfcinv(2.0 * p);
}
__TREADLE_FUNCTION float normcdfinvf(float p) {
  return static_cast<float>(normcdfinv(static_cast<double>(p)));
}

/// The modified Bessel function of order 0 or 1, for x >= 0. Up to 30 by its power series, whose terms are all
/// positive; beyond by e^x / sqrt(2 pi x) times a series in 1/x that has converged there long before it diverges.
__TREADLE_FUNCTION double __treadle_bessel_i(int order, double x) {
  double sum = 1.0, term = 1.0;
  if (x <= 30.0) {
    // Term k holds the square's rounding error k times over: summed apart, and taken off at the end.
    const double square = x * x, lost = fma(x, x, -square);
    double weighted = 0.0;
    for (int k = 1; k < 70; ++k) {
      sum += term *= 0.25 * square / (k * (k + order));
      weighted += k * term;
    }
    if (square > 0.0) sum += weighted * (lost / square);
    return order ? 0.5 * x * sum : sum;
  }
  for (int k = 1; k < 22; ++k) {
    const double odd = 2 * k - 1;
    sum += term *= (odd * odd - 4 * order) / (8 * k * x);
  }
  const double half = exp(0.5 * x);  // e^x alone overflows before the function does
  return half * (half * (sum * 0.39894228040143267794 / sqrt(x)));
}
__TREADLE_FUNCTION double cyl_bessel_i0(double x) {
  return __builtin_isinf(x) ? fabs(x) : __treadle_bessel_i(0, fabs(x));
}
__TREADLE_FUNCTION double cyl_bessel_i1(double x) {
  return __builtin_isinf(x) ? x : copysign(__treadle_bessel_i(1, fabs(x)), x);
}
__TREADLE_FUNCTION float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
__TREADLE_FUNCTION float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}

// C++'s overloads of the above.
__TREADLE_FUNCTION float cyl_bessel_i0(float x) { return cyl_bessel_i0f(x); }
__TREADLE_FUNCTION float cyl_bessel_i1(float x) { return cyl_bessel_i1f(x); }
__TREADLE_FUNCTION float erfinv(float x) { return erfinvf(x); }
__TREADLE_FUNCTION float erfcinv(float x) { return erfcinvf(x); }
__TREADLE_FUNCTION float normcdfinv(float x) { return normcdfinvf(x); }
__TREADLE_FUNCTION float erfcx(float x) { return erfcxf(x); }

__TREADLE_FUNCTION float __sinf(float x) { return sinf(x); }
__TREADLE_FUNCTION float __cosf(float x) { return cosf(x); }
__TREADLE_FUNCTION float __tanf(float x) { return tanf(x); }
__TREADLE_FUNCTION void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__TREADLE_FUNCTION float __expf(float x) { return expf(x); }
__TREADLE_FUNCTION float __exp10f(float x) { return exp10f(x); }
__TREADLE_FUNCTION float __logf(float x) { return logf(x); }
__TREADLE_FUNCTION float __log2f(float x) { return log2f(x); }
__TREADLE_FUNCTION float __log10f(float x) { return log10f(x); }
__TREADLE_FUNCTION float __powf(float x, float y) { return powf(x, y); }
__TREADLE_FUNCTION float __tanhf(float x) { return tanhf(x); }
__TREADLE_FUNCTION float __fdividef(float x, float y) { return x / y; }
__TREADLE_FUNCTION float fdividef(float x, float y) { return x / y; }
__TREADLE_FUNCTION double fdivide(double x, double y) { return x / y; }
__TREADLE_FUNCTION float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
