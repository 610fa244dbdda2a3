// SPDX-License-Identifier: MIT
// What float_accuracy.py compares with: functions of doubles by glibc and its vector library, which
// are a few units of a double's last place off, a billionth of a float's. The prototypes stand here
// because glibc's headers give vector forms only under -ffast-math.
#include <cstdint>
#include <limits>

extern "C" {
__attribute__((const, nothrow, simd("notinbranch"))) double sin(double), cos(double), tan(double),
    asin(double), acos(double), atan(double), sinh(double), cosh(double), tanh(double),
    asinh(double), acosh(double), atanh(double), exp(double), exp2(double), exp10(double),
    expm1(double), log(double), log2(double), log10(double), log1p(double), cbrt(double),
    erf(double), erfc(double);
__attribute__((const, nothrow)) double sqrt(double), lgamma(double), tgamma(double), j0(double),
    j1(double), y0(double), y1(double), logb(double), ceil(double), floor(double), trunc(double),
    rint(double), nearbyint(double), round(double), fabs(double);
}

namespace {

constexpr double pi = 3.14159265358979323846;

struct Turn {
  double angle, quadrant;  // x pi = angle + quadrant pi / 2, |angle| <= pi / 4
};

Turn turn_of(double x) {
  const double k = __builtin_rint(2 * x);
  return {pi * (x - k / 2), k - 4 * __builtin_floor(k / 4)};
}
// By tangents, which libmvec has at one speed for every size: its sines of large numbers are
// computed one by one.
double sine(double x) {
  const double half = tan(x / 2);
  return 2 * half / (1 + half * half);
}
double cosine(double x) {
  const double half = tan(x / 2), whole = tan(x), value = 1 / sqrt(1 + whole * whole);
  return half * half > 1 ? -value : value;
}
// Powers beyond a float's range are as good as those at its end, and libmvec computes those beyond
// a double's one by one.
double in_range(double x) { return x < -400 ? -400 : x > 400 ? 400 : x; }
// IEEE 754's signs of zeros: that of x, and plus.
double sinpi(double x) {
  const Turn turn = turn_of(x);
  const bool odd = turn.quadrant == 1 || turn.quadrant == 3;
  const double s = sin(turn.angle), c = cos(turn.angle), value = odd ? c : s;
  return value == 0 ? __builtin_copysign(0.0, x) : turn.quadrant >= 2 ? -value : value;
}
double cospi(double x) {
  const Turn turn = turn_of(x);
  const bool odd = turn.quadrant == 1 || turn.quadrant == 3;
  const double s = sin(turn.angle), c = cos(turn.angle), value = odd ? s : c;
  return value == 0 ? 0.0 : turn.quadrant == 1 || turn.quadrant == 2 ? -value : value;
}
double rsqrt(double x) { return 1 / sqrt(x); }
double rcbrt(double x) { return 1 / cbrt(x); }
// Beyond 25 by its asymptotic series, before erfc() underflows.
double erfcx(double x) {
  const double s = 0.5 / (x * x), near = exp(in_range(x * x)) * erfc(x > 25 ? 25 : x);
  const double far =
      (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s))))) / (x * 1.7724538509055160273);
  return x > 25 ? far : near;
}
double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }

/// In units of the last place that `exact` has as a float, or of `unit` where that is not 0;
/// infinite where one is a NaN and the other is not, or zeros have other signs.
inline double off_by(float result, double exact, double unit) {
  const float nearest = static_cast<float>(exact);
  const std::int64_t exponent = ((__builtin_bit_cast(std::int64_t, exact) >> 52) & 0x7ff) - 1023;
  const std::int64_t clipped = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
  const double per_place = __builtin_bit_cast(double, (23 - clipped + 1023) << 52);
  const double off = __builtin_fabs(result - exact) * (unit == 0 ? per_place : 1 / unit);
  const bool same = (result == nearest) | ((result != result) & (nearest != nearest));
  const bool finite = __builtin_fabsf(nearest) <= std::numeric_limits<float>::max();
  const bool zeros = ((result == 0) | (nearest == 0)) & (unit == 0);
  const bool signs_differ =
      (__builtin_bit_cast(std::int32_t, result) ^ __builtin_bit_cast(std::int32_t, nearest)) < 0;
  const bool wrong = (off != off) | (zeros & signs_differ);
  return same & !finite ? 0 : wrong ? std::numeric_limits<double>::infinity() : off;
}

}  // namespace

#define VALUES(name, value)                                                                \
  extern "C" void values_##name(const float* floats, double* values, std::int64_t count) { \
    _Pragma("omp simd") for (std::int64_t i = 0; i < count; ++i) {                         \
      const double x = floats[i];                                                          \
      values[i] = value;                                                                   \
    }                                                                                      \
  }
#define SAME(name) VALUES(name, name(x))
VALUES(sin, sine(x));
VALUES(cos, cosine(x));
VALUES(exp, exp(in_range(x)));
VALUES(exp10, exp10(in_range(x)));
VALUES(sinh, sinh(in_range(x)));
VALUES(cosh, cosh(in_range(x)));
SAME(tan);
SAME(sinpi);
SAME(cospi);
SAME(asin);
SAME(acos);
SAME(atan);
SAME(tanh);
SAME(asinh);
SAME(acosh);
SAME(atanh);
SAME(exp2);
SAME(expm1);
SAME(log);
SAME(log2);
SAME(log10);
SAME(log1p);
SAME(sqrt);
SAME(rsqrt);
SAME(cbrt);
SAME(rcbrt);
SAME(erf);
SAME(erfc);
SAME(erfcx);
SAME(normcdf);
SAME(lgamma);
SAME(tgamma);
SAME(j0);
SAME(j1);
SAME(y0);
SAME(y1);
SAME(logb);
SAME(ceil);
SAME(floor);
SAME(trunc);
SAME(rint);
SAME(nearbyint);
SAME(round);
SAME(fabs);

/// The largest error of `count` results, and where it is.
extern "C" double worst_of(const float* results, const double* exact, std::int64_t count,
                           double unit, std::int64_t* at) {
  constexpr std::int64_t block = 2048;
  double worst = -1;
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t size = count - first < block ? count - first : block;
    double off[block], most = -1;
#pragma omp simd reduction(max : most)
    for (std::int64_t i = 0; i < size; ++i) {
      off[i] = off_by(results[first + i], exact[first + i], unit);
      most = most < off[i] ? off[i] : most;
    }
    if (most <= worst) continue;
    worst = most;
    for (*at = first; off[*at - first] != most;) ++*at;
  }
  return worst;
}
