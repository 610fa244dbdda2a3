// SPDX-License-Identifier: MIT
// Special functions for kernels, which find them by -I and skcuda.install_headers.
//
//   sinc(x), sincf(x)               sin(pi x) / (pi x)
//   polevl(x, coef, n), polevlf     coef[0] x^n + ... + coef[n]
//   p1evl(x, coef, n), p1evlf       x^n + coef[0] x^(n-1) + ... + coef[n-1]
//   sici(x, &si, &ci), sicif        integrals of sin(t)/t and cos(t)/t
//   exp1(z), expi(z), exp1f, expif  exponential integrals of complex numbers
#pragma once

#include <pycuda-complex.hpp>

__device__ static inline double sinc(double x) {
  return x == 0 ? 1.0 : sinpi(x) / (3.141592653589793 * x);
}
__device__ static inline float sincf(float x) {
  return x == 0 ? 1.0f : sinpif(x) / (3.14159265f * x);
}

__device__ static inline double polevl(double x, const double* coef, int n) {
  double sum = coef[0];
  for (int i = 1; i <= n; ++i) sum = sum * x + coef[i];
  return sum;
}
__device__ static inline float polevlf(float x, const float* coef, int n) {
  float sum = coef[0];
  for (int i = 1; i <= n; ++i) sum = sum * x + coef[i];
  return sum;
}
__device__ static inline double p1evl(double x, const double* coef, int n) {
  double sum = x + coef[0];
  for (int i = 1; i < n; ++i) sum = sum * x + coef[i];
  return sum;
}
__device__ static inline float p1evlf(float x, const float* coef, int n) {
  float sum = x + coef[0];
  for (int i = 1; i < n; ++i) sum = sum * x + coef[i];
  return sum;
}

namespace treadle_special {

constexpr double euler = 0.57721566490153286061, pi = 3.14159265358979323846;

struct Number {
  double x, y;
};
__device__ static inline Number times(Number a, Number b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ static inline Number inverse(Number a) {
  // By the larger part, whose square could be too large.
  if (fabs(a.x) >= fabs(a.y)) {
    const double ratio = a.y / a.x, scale = 1 / (a.x + a.y * ratio);
    return {scale, -ratio * scale};
  }
  const double ratio = a.x / a.y, scale = 1 / (a.x * ratio + a.y);
  return {ratio * scale, -scale};
}

/// exp(z) E1(z) by its continued fraction 1/(z+1 - 1/(z+3 - 4/(z+5 - ...))), from the front
/// (Lentz).
__device__ static inline Number fraction(Number z) {
  Number b = {z.x + 1, z.y}, c = {1e300, 0}, d = inverse(b), h = d;
  for (int i = 1; i < 500; ++i) {
    const double a = -static_cast<double>(i) * i;
    b.x += 2;
    d = inverse({a * d.x + b.x, a * d.y + b.y});
    const Number part = inverse(c);
    c = {b.x + a * part.x, b.y + a * part.y};
    const Number change = times(c, d);
    h = times(h, change);
    if (fabs(change.x - 1) + fabs(change.y) < 1e-16) break;
  }
  return h;
}

/// The same by its asymptotic series, for magnitudes from 40 on.
__device__ static inline Number asymptotic(Number z) {
  const Number w = inverse(z);
  Number term = w, sum = w;
  for (int k = 1; k < 40; ++k) {
    term = times(term, {-k * w.x, -k * w.y});
    sum.x += term.x;
    sum.y += term.y;
    if (fabs(term.x) + fabs(term.y) < 1e-17 * (fabs(sum.x) + fabs(sum.y))) break;
  }
  return sum;
}

/// E1, whose cut is the negative half of the real axis: an imaginary part of 0 is above it, and -0
/// below.
__device__ static inline Number e1(Number z) {
  const double size = hypot(z.x, z.y);
  if (size == 0) return {INFINITY, 0};
  // The series loses digits where E1 is small; elsewhere the fraction needs long near the cut.
  if (size <= (z.x < 0 ? 5 : 2) || (z.x < -2 * fabs(z.y) && size < 40)) {
    Number term = {1, 0}, sum = {0, 0};  // of (-z)^k / (k k!)
    for (int k = 1; k < 500; ++k) {
      term = times(term, {-z.x / k, -z.y / k});
      sum.x += term.x / k;
      sum.y += term.y / k;
      if (fabs(term.x) + fabs(term.y) < 1e-17 * (fabs(sum.x) + fabs(sum.y))) break;
    }
    return {-euler - log(size) - sum.x, -atan2(z.y, z.x) - sum.y};
  }
  const Number h = size < 40 ? fraction(z) : asymptotic(z);
  const double scale = exp(-z.x);
  // Without the product, in which an infinite scale times 0 is no number.
  if (z.y == 0) return {scale * h.x, z.x < 0 ? (signbit(z.y) ? pi : -pi) : 0.0};
  double s, c;
  sincos(-z.y, &s, &c);
  return times({scale * c, scale * s}, h);
}

/// Ei(z) = -E1(-z), and i pi above the real axis, -i pi below; real on it.
__device__ static inline Number ei(Number z) {
  const Number other = e1({-z.x, -z.y});
  if (z.y == 0) return {-other.x, 0};
  return {-other.x, -other.y + (z.y > 0 ? pi : -pi)};
}

}  // namespace treadle_special

/// Of negative numbers si is odd, and ci that of the magnitude. ci(0) is -infinity.
__device__ static inline int sici(double x, double* si, double* ci) {
  using namespace treadle_special;
  const double size = fabs(x);
  double s, c;
  if (size <= 4) {
    double term = size, sum_s = 0, sum_c = 0;  // size^k / k! with signs of sin and cos
    for (int k = 1; k < 60; ++k) {
      const double part = term / k;
      if (k % 2 == 1)
        sum_s += k % 4 == 1 ? part : -part;
      else
        sum_c += k % 4 == 0 ? part : -part;
      if (part < 1e-18) break;
      term *= size / (k + 1);
    }
    s = sum_s;
    c = size == 0 ? -INFINITY : euler + log(size) + sum_c;
  } else if (isinf(size)) {
    s = pi / 2;
    c = 0;
  } else {
    const Number h = size < 40 ? fraction({0, size}) : asymptotic({0, size});
    double sine, cosine;
    sincos(size, &sine, &cosine);
    const Number made = times({cosine, -sine}, h);  // E1(i size)
    s = pi / 2 + made.y;
    c = -made.x;
  }
  *si = x < 0 ? -s : s;
  *ci = c;
  return 0;
}
__device__ static inline int sicif(float x, float* si, float* ci) {
  double s, c;
  sici(static_cast<double>(x), &s, &c);
  *si = static_cast<float>(s);
  *ci = static_cast<float>(c);
  return 0;
}

#define TREADLE_OF_COMPLEX(name, function, number)                                            \
  __device__ static inline pycuda::complex<number> name(pycuda::complex<number> z) {          \
    const auto made = treadle_special::function({pycuda::real(z), pycuda::imag(z)});          \
    return pycuda::complex<number>(static_cast<number>(made.x), static_cast<number>(made.y)); \
  }
TREADLE_OF_COMPLEX(exp1, e1, double)
TREADLE_OF_COMPLEX(expi, ei, double)
TREADLE_OF_COMPLEX(exp1f, e1, float)
TREADLE_OF_COMPLEX(expif, ei, float)
#undef TREADLE_OF_COMPLEX
