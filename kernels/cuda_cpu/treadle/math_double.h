// SPDX-License-Identifier: MIT
// The same of doubles: what of a float's function is rounded off, is carried along here in a second number where
// CUDA's bound, 1 or 2 units in the last place, asks for it.
#pragma once

// ---- e^x ----

struct __treadle_fine_power {
  double even;       // cosh r - 1
  double odd, rest;  // sinh r, in two parts
  double up, down;   // 2^(k-2), 2^(-k-2)
};

// Of r + less, where r has no rounding error.
__TREADLE_OWN __treadle_fine_power __treadle_fine_parts(double r, double less, double rounded) {
  const unsigned long long k = __treadle_bits(rounded) << 52;
  const double sum = r + less, t = sum * sum, t_lost = __builtin_fma(sum, sum, -t) + 2 * sum * ((r - sum) + less);
  return {
      0.5 * t + t * t *
                    (0.04166666666666673 +
                     t * (0.0013888888888860308 +
                          t * (2.480158736889417e-05 + t * (2.755723786497078e-07 + t * 2.0925514164425843e-09)))),
      r,
      less + 0.5 * t_lost +
          sum * t *
              (0.16666666666666666 +
               t * (0.008333333333333337 +
                    t * (0.00019841269841250792 +
                         t * (2.7557319268848734e-06 + t * (2.5052054155187503e-08 + t * 1.6091544513118485e-10))))),
      __treadle_from_bits(0x3fd0000000000000 + k), __treadle_from_bits(0x3fd0000000000000 - k)};
}
__TREADLE_OWN __treadle_fine_power __treadle_fine_power_of_e(double x) {
  const double rounded = x * 1.4426950408889634 + __TREADLE_ROUNDER, k = rounded - __TREADLE_ROUNDER;
  return __treadle_fine_parts(x - k * 0.6931471804855391, k * -7.440617110012397e-11, rounded);
}
// e^r 2^k, where 2^k may lie outside of double's range.
__TREADLE_WIDE __treadle_fine_exp(const __treadle_fine_power& p, double rounded) {
  const long long k = (long long)(__treadle_bits(rounded) - __treadle_bits(__TREADLE_ROUNDER));
  // k + 2048 is positive, so that its half is one shift of an unsigned number.
  const unsigned long long half = ((unsigned long long)(k + 2048) >> 1) - 1024;
  const double value = 1 + (p.odd + (p.rest + p.even));
  return value * __treadle_from_bits((half + 1023) << 52) *
         __treadle_from_bits(((unsigned long long)k - half + 1023) << 52);
}
// e^(x + lost)
__TREADLE_WIDE __treadle_fine_exp_of_sum(double x, double lost) {
  const double a = x < -750 ? -750 : x > 710 ? 710 : x;
  const double rounded = a * 1.4426950408889634 + __TREADLE_ROUNDER, k = rounded - __TREADLE_ROUNDER;
  return __treadle_fine_exp(
      __treadle_fine_parts(a - k * 0.6931471804855391, lost + k * -7.440617110012397e-11, rounded), rounded);
}
__TREADLE_WIDE exp(double x) { return __treadle_fine_exp_of_sum(x, 0); }
__TREADLE_WIDE exp2(double x) {
  const double a = x < -1080 ? -1080 : x > 1025 ? 1025 : x;
  const double rounded = a + __TREADLE_ROUNDER, r = (a - (rounded - __TREADLE_ROUNDER));
  return __treadle_fine_exp(__treadle_fine_parts(r * 0.6931471804855391, r * 7.440617110012397e-11, rounded),
                            rounded);
}
__TREADLE_WIDE exp10(double x) {
  const double a = x < -330 ? -330 : x > 309 ? 309 : x;
  const double rounded = a * 3.321928094887362 + __TREADLE_ROUNDER, k = rounded - __TREADLE_ROUNDER;
  const double near = a - k * 0.30102999560767785, r = near - k * 5.630334806675098e-11;
  const double product = r * 2.302585092994046;
  // What is lost in r and in the product.
  const double lost = ((near - r) - k * 5.630334806675098e-11) * 2.302585092994046 +
                      (__builtin_fma(r, 2.302585092994046, -product) + r * -2.1707562233822494e-16);
  return __treadle_fine_exp(__treadle_fine_parts(product, lost, rounded), rounded);
}
__TREADLE_WIDE expm1(double x) {
  const __treadle_fine_power p = __treadle_fine_power_of_e(x < -40 ? -40 : x > 710 ? 710 : x);
  const double scale = p.up + p.up, base = scale - 0.5, odd = p.odd * scale, sum = base + odd;
  return __builtin_copysign((sum + ((odd - (sum - base)) + (p.rest + p.even) * scale)) * 2, x);
}
// e^|x| / 2 and e^-|x| / 2, added and subtracted in two parts each: around 18 the smaller power is
// about half a unit of the last digit.
struct __treadle_fine_halves {
  __treadle_fine_power p;
  double sum, sum_lost, difference, difference_lost;
};
__TREADLE_OWN __treadle_fine_halves __treadle_fine_halves_of(double x, double limit) {
  const __treadle_fine_power p = __treadle_fine_power_of_e(__treadle_clamp(__builtin_fabs(x), limit));
  const double sum = p.up + p.down, difference = p.up - p.down;
  return {p, sum, (p.up - sum) + p.down, difference, (p.up - difference) - p.down};
}
__TREADLE_WIDE sinh(double x) {
  const __treadle_fine_halves h = __treadle_fine_halves_of(x, 710.7);
  const double rest = h.p.rest * h.sum + (h.p.even * h.difference + h.difference_lost);
  return __builtin_copysign((h.difference + (h.p.odd * h.sum + rest)) * 2, x);
}
__TREADLE_WIDE cosh(double x) {
  const __treadle_fine_halves h = __treadle_fine_halves_of(x, 710.7);
  const double rest = h.p.rest * h.difference + (h.p.even * h.sum + h.sum_lost);
  return (h.sum + (h.p.odd * h.difference + rest)) * 2;
}
__TREADLE_WIDE tanh(double x) {
  const __treadle_fine_halves h = __treadle_fine_halves_of(x, 22);
  const __treadle_fine_power p = h.p;
  const double sum = h.sum, difference = h.difference;
  // Both in two parts each; the second of the lower one is small.
  const double odd = p.odd * sum, odd_lost = __builtin_fma(p.odd, sum, -odd) + (p.rest * sum + p.even * difference);
  const double sine = difference + odd;
  const double sine_lost = (odd - (sine - difference)) + (h.difference_lost + odd_lost);
  const double more = p.odd * difference;
  const double more_lost = __builtin_fma(p.odd, difference, -more) + (p.rest * difference + p.even * sum);
  const double even = more + more_lost, cosine = sum + even;
  const double cosine_lost = (even - (cosine - sum)) + ((more - even) + more_lost) + h.sum_lost;
  const double inverse = 1 / cosine, quotient = sine * inverse;
  const double lost = (__builtin_fma(-quotient, cosine, sine) + sine_lost) - quotient * cosine_lost;
  // Not the compiler's own choice of what to fuse: `lost` is of the rounded quotient.
  return __builtin_copysign(__builtin_fma(lost, inverse, quotient), x);
}

// ---- log x ----

struct __treadle_fine_logarithm {
  double whole, f, square, product;  // log m = f - (square - product), square f f / 2
};

__TREADLE_OWN __treadle_fine_logarithm __treadle_fine_logarithm_near(double x, double near) {
  const bool denormal = x < 2.2250738585072014e-308;
  const unsigned long long bits = __treadle_bits(denormal ? x * 18014398509481984.0 : x);
  const unsigned long long k = (bits - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52;
  const double whole =
      __treadle_from_bits(k | 0x4330000000000000) - (denormal ? 4503599627371519.0 + 54 : 4503599627371519.0);
  const double f = whole == 0 ? near : __treadle_from_bits(bits - (k << 52) + 0x3ff0000000000000) - 1;
  const double s = f / (f + 2), t = s * s, square = 0.5 * f * f;
  const double series =
      t * (0.6666666666666666 +
           t * (0.4000000000000761 +
                t * (0.285714285687849 +
                     t * (0.2222222268191142 +
                          t * (0.1818177334703648 +
                               t * (0.15387177822275883 + t * (0.13248384848961497 + t * 0.13265527927388243)))))));
  return {whole, f, square, s * (square + series)};
}
__TREADLE_WIDE __treadle_fine_log(const __treadle_fine_logarithm& l, double lost) {
  return l.whole * 0.6931471804855391 - ((l.square - (l.product + (l.whole * 7.440617110012397e-11 + lost))) - l.f);
}
__TREADLE_WIDE log(double x) {
  return __treadle_log_or(__treadle_fine_log(__treadle_fine_logarithm_near(x, x - 1), 0), x);
}
// log(1 + x) + more ln 2
__TREADLE_WIDE __treadle_fine_log1p(double x, double more) {
  const double sum = 1 + x;
  __treadle_fine_logarithm l = __treadle_fine_logarithm_near(sum, x);
  const double lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
  const double correction = l.whole == 0 || !(x < 1e300) ? 0 : lost / sum;
  l.whole += more;
  return __treadle_log_or(__treadle_fine_log(l, correction), sum);
}
__TREADLE_WIDE log1p(double x) { return __builtin_copysign(__treadle_fine_log1p(x, 0), x); }

// The logarithm of m times a factor in two parts, and k times another one.
__TREADLE_WIDE __treadle_fine_log_of(double x, double factor, double factor_lost, double unit, double unit_lost) {
  const __treadle_fine_logarithm l = __treadle_fine_logarithm_near(x, x - 1);
  const double near = l.f - l.square, lost = ((l.f - near) - l.square) + l.product;
  const double product = near * factor, whole = l.whole * unit, sum = whole + product;
  const double rest = (product - (sum - whole)) + __builtin_fma(near, factor, -product);
  return __treadle_log_or(sum + (rest + (lost * factor + (near * factor_lost + l.whole * unit_lost))), x);
}
__TREADLE_WIDE log2(double x) { return __treadle_fine_log_of(x, 1.4426950408889634, 2.0355273740931033e-17, 1, 0); }
__TREADLE_WIDE log10(double x) {
  return __treadle_fine_log_of(x, 0.4342944819032518, 1.098319650216765e-17, 0.30102999560767785,
                               5.630334806675098e-11);
}
__TREADLE_WIDE asinh(double x) {
  const double a = __builtin_fabs(x);
  const bool large = a > 268435456;
  const double more = large ? 0 : a * a / (1 + __builtin_sqrt(a * a + 1));
  return __builtin_copysign(__treadle_fine_log1p(large ? a - 1 : a + more, large ? 1 : 0), x);
}
__TREADLE_WIDE acosh(double x) {
  const double t = x - 1;
  const bool large = x > 268435456;
  const double result = __treadle_fine_log1p(large ? t : t + __builtin_sqrt(2 * t + t * t), large ? 1 : 0);
  return x < 1 ? __TREADLE_NAN : result;
}
__TREADLE_WIDE atanh(double x) {
  const double a = __builtin_fabs(x), result = __treadle_fine_log1p(2 * a / (1 - a), 0);
  return __builtin_copysign(a > 1 ? __TREADLE_NAN : 0.5 * result, x);
}

// ---- roots ----

// The cube root of a, which is no negative number, to some 45 bits.
__TREADLE_WIDE __treadle_near_cbrt(double a) {
  const unsigned long long third = (__treadle_bits(a) >> 32) * 0x55555556 >> 32;
  double y = __treadle_from_bits((third + 715094163) << 32);
  for (int step = 0; step < 2; ++step) {
    const double cube = 0.25 * y * y * y;
    y *= (cube + 0.5 * a) / (cube + cube + 0.25 * a);
  }
  return y;
}
__TREADLE_WIDE cbrt(double x) {
  const bool denormal = __builtin_fabs(x) < 2.2250738585072014e-308;
  const double a = __builtin_fabs(denormal ? x * 18014398509481984.0 : x), y = __treadle_near_cbrt(a);
  const double square = y * y, lost = __builtin_fma(y, y, -square);
  const double root = y - (__builtin_fma(square, y, -a) + lost * y) / (3 * square);
  const double value = a > 0 && a < __TREADLE_INFINITE ? root * (denormal ? 3.814697265625e-06 : 1) : a;
  return __builtin_copysign(value, x);
}
__TREADLE_WIDE rcbrt(double x) {
  const bool denormal = __builtin_fabs(x) < 2.2250738585072014e-308;
  const double a = __builtin_fabs(denormal ? x * 18014398509481984.0 : x), z = 1 / __treadle_near_cbrt(a);
  const double square = z * z, square_lost = __builtin_fma(z, z, -square);
  const double product = square * a, product_lost = __builtin_fma(square, a, -product) + square_lost * a;
  const double root = z - z * ((__builtin_fma(product, z, -1) + product_lost * z) * 0.3333333333333333);
  const double value = a > 0 && a < __TREADLE_INFINITE ? root * (denormal ? 262144 : 1) : 1 / a;
  return __builtin_copysign(value, x);
}
__TREADLE_WIDE rsqrt(double x) {
  const double z = 1 / __builtin_sqrt(x), product = x * z, lost = __builtin_fma(x, z, -product);
  const double root = z + 0.5 * z * (__builtin_fma(-product, z, 1) - lost * z);
  return x > 0 && x < __TREADLE_INFINITE ? root : z;
}
__TREADLE_WIDE hypot(double x, double y) {
  const double a = __builtin_fabs(x), b = __builtin_fabs(y), size = a > b ? a : b;
  const double scale = size > 1e150 ? 0x1p-600 : size < 1e-140 ? 0x1p600 : 1;
  const double back = size > 1e150 ? 0x1p600 : size < 1e-140 ? 0x1p-600 : 1;
  const double p = a * scale, q = b * scale;
  return a == __TREADLE_INFINITE || b == __TREADLE_INFINITE ? __TREADLE_INFINITE
                                                            : __builtin_sqrt(p * p + q * q) * back;
}

// ---- multiples of pi ----

__TREADLE_OWN __treadle_angle __treadle_fine_quarters(double f, unsigned long long quarters) {
  const double g = f * 1.5707963267948966, lost = f * 6.123233995736766e-17, t = g * g;
  const double sine =
      g + (lost + g * t *
                      (-0.16666666666666666 +
                       t * (0.008333333333333331 +
                            t * (-0.00019841269841265063 +
                                 t * (2.7557319219337312e-06 +
                                      t * (-2.5052106231802837e-08 +
                                           t * (1.6058531516797758e-10 + t * -7.586691094197958e-13)))))));
  const double half = 0.5 * t, near = 1 - half;
  const double cosine =
      near +
      (((1 - near) - half) + t * t *
                                 (0.041666666666666664 +
                                  t * (-0.0013888888888888887 +
                                       t * (2.4801587301584645e-05 +
                                            t * (-2.755731922140179e-07 +
                                                 t * (2.0876755790721963e-09 + t * (-1.1470460830795304e-11 +
                                                                                    t * 4.7458685530816656e-14)))))));
  return {sine, cosine, quarters};
}
__TREADLE_OWN __treadle_angle __treadle_fine_angle_of_pi(double x) {
  const double halves = 2 * (x - 2 * __builtin_trunc(x * 0.5)), rounded = halves + __TREADLE_ROUNDER;
  return __treadle_fine_quarters(halves - (rounded - __TREADLE_ROUNDER), __treadle_bits(rounded));
}
__TREADLE_WIDE sinpi(double x) {
  return x == __builtin_trunc(x) ? x * 0 : __treadle_sine_of(__treadle_fine_angle_of_pi(x), 0);
}
__TREADLE_WIDE cospi(double x) { return __treadle_sine_of(__treadle_fine_angle_of_pi(x), 1) + 0.0; }

// ---- inverse trigonometric functions ----

// atan of a quotient at most tan(pi / 8), and the angle it is beyond, in two parts.
__TREADLE_WIDE __treadle_fine_atan(double z, double angle, double angle_lost) {
  const double t = z * z;
  return angle +
         (z + (angle_lost + z * t *
                                (-0.3333333333333311 +
                                 t * (0.19999999999937573 +
                                      t * (-0.1428571427892772 +
                                           t * (0.11111110728918233 +
                                                t * (-0.09090896347792525 +
                                                     t * (0.07692037070790078 +
                                                          t * (-0.06662857122341018 +
                                                               t * (0.058461829670491516 +
                                                                    t * (-0.05031940132211606 +
                                                                         t * (0.037884170898398295 +
                                                                              t * -0.017715801940048098))))))))))));
}
// atan(b / a) of two numbers that are not negative.
__TREADLE_WIDE __treadle_fine_atan2(double b, double a) {
  const bool steep = b > 2.414213562373095 * a, diagonal = b > 0.41421356237309503 * a;
  const double above = steep ? -a : diagonal ? b - a : b, below = steep ? b : diagonal ? b + a : a;
  return __treadle_fine_atan(a == b ? 0 : above / below,
                             steep                           ? 1.5707963267948966
                             : diagonal || (a == b && a > 0) ? 0.7853981633974483
                                                             : 0,
                             steep                           ? 6.123233995736766e-17
                             : diagonal || (a == b && a > 0) ? 3.061616997868383e-17
                                                             : 0);
}
__TREADLE_WIDE atan(double x) { return __builtin_copysign(__treadle_fine_atan2(__builtin_fabs(x), 1), x); }
__TREADLE_WIDE atan2(double y, double x) {
  const double a = __builtin_fabs(x), b = __builtin_fabs(y), scale = a > 1e300 || b > 1e300 ? 0.25 : 1;
  const double near = __treadle_fine_atan2(b * scale, a * scale);
  const double value = __builtin_signbit(x) ? 3.141592653589793 - (near - 1.2246467991473532e-16) : near;
  return __builtin_copysign(a != a || b != b ? __TREADLE_NAN : value, y);
}
// What asin(z) is beyond z, for |z| at most 1/2, t its square.
__TREADLE_WIDE __treadle_fine_asin(double z, double t) {
  return z * t *
         (0.16666666666666796 +
          t * (0.07499999999966611 +
               t * (0.04464285717686322 +
                    t * (0.030381942642327187 +
                         t * (0.022372216106072148 +
                              t * (0.017351600625343435 +
                                   t * (0.01398088299217101 +
                                        t * (0.011398850408440755 +
                                             t * (0.010778675120995992 +
                                                  t * (0.0037180577483250537 +
                                                       t * (0.02166805886905636 +
                                                            t * (-0.02093065831518245 +
                                                                 t * 0.03257934796692842))))))))))));
}
__TREADLE_WIDE asin(double x) {
  const double a = __builtin_fabs(x), t = a > 0.5 ? 0.5 * (1 - a) : a * a, z = a > 0.5 ? __builtin_sqrt(t) : a;
  const double more = __treadle_fine_asin(z, t),
               outer = (1.5707963267948966 - 2 * z) - (2 * more - 6.123233995736766e-17);
  return __builtin_copysign(a > 0.5 ? outer : z + more, x);
}
__TREADLE_WIDE acos(double x) {
  const double a = __builtin_fabs(x), t = a > 0.5 ? 0.5 * (1 - a) : a * a, z = a > 0.5 ? __builtin_sqrt(t) : x;
  const double angle = z + __treadle_fine_asin(z, t);
  const double outer = x < 0 ? 3.141592653589793 - (2 * angle - 1.2246467991473532e-16) : 2 * angle;
  return a > 0.5 ? outer : 1.5707963267948966 - (angle - 6.123233995736766e-17);
}

#undef __TREADLE_REAL
#undef __TREADLE_WIDE
#undef __TREADLE_OWN
#undef __TREADLE_ROUNDER
#undef __TREADLE_INFINITE
#undef __TREADLE_NAN
