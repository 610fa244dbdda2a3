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
  // Around -38 and 37 the smaller of e^x and 1 is about one unit of the larger one's last digit.
  const double taken = base - scale, base_lost = (scale - (base - taken)) - (0.5 + taken);
  return __builtin_copysign((sum + ((odd - (sum - base)) + ((p.rest + p.even) * scale + base_lost))) * 2, x);
}
// e^|x| / 2 and e^-|x| / 2, added and subtracted in two parts each: around 18 the smaller power is
// about half a unit of the last digit.
struct __treadle_fine_halves {
  __treadle_fine_power p;
  double sum, sum_lost, difference, difference_lost;
};
__TREADLE_OWN __treadle_fine_halves __treadle_fine_halves_of(double x, double limit) {
  const double positive = __builtin_fabs(x);
  const __treadle_fine_power p = __treadle_fine_power_of_e(__treadle_clamp(positive, limit));
  // Above 708 the smaller power has no normal number, and above 40 it changes nothing.
  const double down = positive > 40 ? 0 : p.down;
  const double sum = p.up + down, difference = p.up - down;
  return {p, sum, (p.up - sum) + down, difference, (p.up - difference) - down};
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

// ---- x^y = e^(y log x) ----

struct __treadle_finest_logarithm {
  double log, rest;
};

// Of a positive number to some 66 bits: 2 s + 2/3 s^3 in two parts each, the rest of the series in one.
__TREADLE_OWN __treadle_finest_logarithm __treadle_finest_log(double x) {
  const bool denormal = x < 2.2250738585072014e-308;
  const unsigned long long bits = __treadle_bits(denormal ? x * 18014398509481984.0 : x);
  const unsigned long long k = (bits - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52;
  const double whole =
      __treadle_from_bits(k | 0x4330000000000000) - (denormal ? 4503599627371519.0 + 54 : 4503599627371519.0);
  const double f = __treadle_from_bits(bits - (k << 52) + 0x3ff0000000000000) - 1, below = f + 2;
  const double inverse = 1 / below, s = f * inverse;
  const double s_lost = (__builtin_fma(-s, below, f) - s * (f - (below - 2))) * inverse;
  const double square = s * s, square_lost = __builtin_fma(s, s, -square) + 2 * s * s_lost;
  const double cube = square * s, cube_lost = __builtin_fma(square, s, -cube) + square * s_lost + square_lost * s;
  const double third = cube * 0.6666666666666666,
               third_lost = __builtin_fma(cube, 0.6666666666666666, -third) + cube * 3.700743415417188e-17 +
                            cube_lost * 0.6666666666666666;
  const double series =
      cube * square *
      (0.4 +
       square *
           (0.28571428571429397 +
            square * (0.22222222221636845 +
                      square * (0.18181818339697634 +
                                square * (0.1538459450380989 +
                                          square * (0.13334829573906534 +
                                                    square * (0.1170557189567721 + square * 0.1173010786189303)))))));
  const double first = whole * 0.6931471804855391, sum = first + 2 * s;
  const double sum_lost = whole == 0 ? 0 : 2 * s - (sum - first);
  const double total = sum + third, total_lost = third - (total - sum);
  const double rest = sum_lost + total_lost + (2 * s_lost + third_lost + (series + whole * 7.440617110012397e-11));
  return {total, rest};
}
__TREADLE_WIDE __treadle_pow(double x, double y) {
  const double a = __builtin_fabs(x), half = y * 0.5;
  const bool whole = __builtin_rint(y) == y, odd = whole && __builtin_rint(half) != half;
  const __treadle_finest_logarithm l = __treadle_finest_log(a);
  const bool special = !(a > 0 && a < __TREADLE_INFINITE) || !(__builtin_fabs(y) < 1e25);
  // More than any number is, so that no product is infinite.
  const double exponent = special ? y * __treadle_log_or(l.log, a) : y * l.log;
  const double lost = __builtin_fma(y, l.log, -exponent) + y * l.rest;
  const bool is_far = special || !(__builtin_fabs(exponent) < 800);
  const double power = __treadle_fine_exp_of_sum(exponent, is_far ? 0 : lost);
  const double size = a == 1 && y == y ? 1 : power;
  const double value = x < 0 && a < __TREADLE_INFINITE && !whole ? __TREADLE_NAN : size;
  const double result = __builtin_signbit(x) && odd ? -value : value;
  return x == 1 || y == 0 ? 1 : result;
}
// Products where the compiler knows the exponent.
__TREADLE_WIDE pow(double x, double y) {
  if (__builtin_constant_p(y)) {
    if (y == 1) return x;
    if (y == 2) return x * x;
    if (y == 3) return x * x * x;
    if (y == -1) return 1 / x;
  }
  return __treadle_pow(x, y);
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

// ---- sine and cosine ----

struct __treadle_fine_angles {
  double sine, sine_rest, cosine, cosine_rest;  // each a sum of two parts, the second of which is small
  unsigned long long quarters;
};

// Of g + lost, which is below pi / 4.
__TREADLE_OWN __treadle_fine_angles __treadle_fine_angle(double g, double lost, unsigned long long quarters) {
  const double t = g * g;
  const double sine_rest =
      lost + g * t *
                 (-0.16666666666666666 +
                  t * (0.008333333333333331 +
                       t * (-0.00019841269841265063 +
                            t * (2.7557319219337312e-06 +
                                 t * (-2.5052106231802837e-08 +
                                      t * (1.6058531516797758e-10 + t * -7.586691094197958e-13))))));
  const double half = 0.5 * t, near = 1 - half;
  const double cosine_rest =
      (((1 - near) - half) - g * lost) +
      t * t *
          (0.041666666666666664 +
           t * (-0.0013888888888888887 +
                t * (2.4801587301584645e-05 +
                     t * (-2.755731922140179e-07 +
                          t * (2.0876755790721963e-09 +
                               t * (-1.1470460830795304e-11 + t * 4.7458685530816656e-14))))));
  return {g, sine_rest, near, cosine_rest, quarters};
}
__TREADLE_WIDE __treadle_fine_sine_of(const __treadle_fine_angles& a, unsigned long long more) {
  return __treadle_sine_of({a.sine + a.sine_rest, a.cosine + a.cosine_rest, a.quarters}, more);
}

// Below 2^30: x - k pi / 2, where pi / 2 is three numbers, two of 48 bits. The first difference is exact.
__TREADLE_OWN __treadle_fine_angles __treadle_fine_angle_of(double x) {
  const double rounded = x * 0.6366197723675814 + __TREADLE_ROUNDER, k = rounded - __TREADLE_ROUNDER;
  const double near = __builtin_fma(-k, 1.5707963267948912, x), step = k * 5.390302858158106e-15;
  const double step_lost = __builtin_fma(k, 5.390302858158106e-15, -step), r = near - step, of_near = r + step;
  const double r_lost = (near - of_near) - (step - (of_near - r));
  const double rest = r_lost - (step_lost + k * 1.2706558760139879e-29), g = r + rest;
  return __treadle_fine_angle(g, (r - g) + rest, __treadle_bits(rounded));
}
// Beyond are libm's, which are called for the threads that need them
// (src/cuda_cpu/compiler/passes/lane_calls.cpp). LLVM does not know these names of theirs: it would call libmvec's, which
// are less exact.
extern "C" {
__host__ __device__ __attribute__((const, nothrow)) double __treadle_far_sin(double) __asm__("sinf64");
__host__ __device__ __attribute__((const, nothrow)) double __treadle_far_cos(double) __asm__("cosf64");
__host__ __device__ __attribute__((const, nothrow)) double __treadle_far_tan(double) __asm__("tanf64");
}
__TREADLE_OWN bool __treadle_is_near(double x) { return __builtin_fabs(x) < 1073741824; }
__TREADLE_WIDE sin(double x) {
  if (!__treadle_is_near(x)) return __treadle_far_sin(x);
  return x == 0 ? x : __treadle_fine_sine_of(__treadle_fine_angle_of(x), 0);
}
__TREADLE_WIDE cos(double x) {
  if (!__treadle_is_near(x)) return __treadle_far_cos(x);
  return __treadle_fine_sine_of(__treadle_fine_angle_of(x), 1);
}
__TREADLE_WIDE tan(double x) {
  if (!__treadle_is_near(x)) return __treadle_far_tan(x);
  const __treadle_fine_angles a = __treadle_fine_angle_of(x);
  const double sine = a.sine + a.sine_rest, sine_lost = (a.sine - sine) + a.sine_rest;
  const double cosine = a.cosine + a.cosine_rest, cosine_lost = (a.cosine - cosine) + a.cosine_rest;
  const bool odd = a.quarters & 1;
  const double above = odd ? -cosine : sine, above_lost = odd ? -cosine_lost : sine_lost;
  const double below = odd ? sine : cosine, below_lost = odd ? sine_lost : cosine_lost;
  const double quotient = above / below;
  const double lost = (__builtin_fma(-quotient, below, above) + above_lost) - quotient * below_lost;
  return x == 0 ? x : __builtin_fma(lost, 1 / below, quotient);
}

// ---- multiples of pi ----

__TREADLE_OWN __treadle_fine_angles __treadle_fine_quarters(double f, unsigned long long quarters) {
  const double g = f * 1.5707963267948966;
  return __treadle_fine_angle(g, __builtin_fma(f, 1.5707963267948966, -g) + f * 6.123233995736766e-17, quarters);
}
__TREADLE_OWN __treadle_fine_angles __treadle_fine_angle_of_pi(double x) {
  const double halves = 2 * (x - 2 * __builtin_trunc(x * 0.5)), rounded = halves + __TREADLE_ROUNDER;
  return __treadle_fine_quarters(halves - (rounded - __TREADLE_ROUNDER), __treadle_bits(rounded));
}
__TREADLE_WIDE sinpi(double x) {
  return x == __builtin_trunc(x) ? x * 0 : __treadle_fine_sine_of(__treadle_fine_angle_of_pi(x), 0);
}
__TREADLE_WIDE cospi(double x) { return __treadle_fine_sine_of(__treadle_fine_angle_of_pi(x), 1) + 0.0; }

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

// ---- the error function: below 0.9 by its series, beyond as 1 - e^(-x x) erfcx(x) ----

// (1 + 2 a) erfcx(a) for a that is not negative: a polynomial in (a - 3.5) / (a + 3.5).
__TREADLE_WIDE __treadle_fine_erfcx(double a) {
  const double t = (a - 3.5) / (a + 3.5);
  const double far =
      -0.0488233258310565 +
      t * (0.019099330945601945 +
           t * (-0.004215019878405747 +
                t * (-0.00030226790250868746 +
                     t * (0.0005643842605299897 +
                          t * (-0.00012151232760165049 +
                               t * (-4.2781721628905614e-05 +
                                    t * (2.4260839884956625e-05 +
                                         t * (2.3272968965569266e-06 +
                                              t * (-3.814933907984698e-06 +
                                                   t * (-4.3051702801470573e-08 +
                                                        t * (6.025096057081062e-07 +
                                                             t * (-8.641744973204816e-09 +
                                                                  t * (-9.711971328975727e-08 +
                                                                       t * (6.778448793564802e-10 +
                                                                            t * (1.3911592311296799e-08 +
                                                                                 t * (5.811094619015422e-11 +
                                                                                      t * -1.2155186967957756e-09))))))))))))))));
  return 1.2423492448711544 +
         t * (-0.14000918013761943 +
              t * (-0.010555596332221952 +
                   t * (0.09751909515326224 +
                        t * (-0.11508959816001958 + t * (0.08798315382467885 + t * far)))));
}
// erf(x) for |x| below 0.9.
__TREADLE_WIDE __treadle_fine_erf_near(double x) {
  const double t = x * x;
  const double series =
      0.1283791670955126 +
      t * (-0.37612638903183754 +
           t * (0.11283791670955096 +
                t * (-0.026866170645123175 +
                     t * (0.005223977625329381 +
                          t * (-0.000854832701406499 +
                               t * (0.00012055332480022833 +
                                    t * (-1.4925632358297934e-05 +
                                         t * (1.6461671430378674e-06 +
                                              t * (-1.6358334666893945e-07 +
                                                   t * (1.4720659164474152e-08 +
                                                        t * (-1.1638625850686258e-09 +
                                                             t * 6.465492363623431e-11)))))))))));
  return x + x * series;
}
// erfc(x + lost)
__TREADLE_WIDE __treadle_fine_erfc(double x, double lost) {
  const double size = __builtin_fabs(x), a = size > 28 ? 28 : size, square = a * a;
  const double rest = size > 28 ? 0 : 1.1283791670955126 * lost;
  const double power = __treadle_fine_exp_of_sum(-square, -__builtin_fma(a, a, -square));
  const double tail = power * (__treadle_fine_erfcx(a) / (1 + 2 * a) - (x < 0 ? -rest : rest));
  const double far = x < 0 ? 2 - tail : tail;
  return a < 0.47 ? 1 - (__treadle_fine_erf_near(x) + power * rest) : far;
}
__TREADLE_WIDE erfc(double x) { return __treadle_fine_erfc(x, 0); }
__TREADLE_WIDE erf(double x) {
  const double a = __builtin_fabs(x);
  return __builtin_copysign(a < 0.9 ? __treadle_fine_erf_near(a) : 1 - __treadle_fine_erfc(a, 0), x);
}
// The distribution function of the standard normal, erfc(-x / sqrt 2) / 2. Far out erfc changes so fast that the
// rounding of its argument shows.
__TREADLE_WIDE normcdf(double x) {
  const double t = x * -0.7071067811865476;
  return 0.5 * __treadle_fine_erfc(t, __builtin_fma(x, -0.7071067811865476, -t) + x * 4.8336466567264567e-17);
}
// e^(x x) erfc(x)
__TREADLE_WIDE erfcx(double x) {
  const double a = __builtin_fabs(x), square = a * a;
  const double power = __treadle_fine_exp_of_sum(square, square < 710 ? __builtin_fma(a, a, -square) : 0);
  const double tail = a < 1e8 ? __treadle_fine_erfcx(a) / (1 + 2 * a) : 0.5641895835477563 / a;
  const double far = x < 0 ? 2 * power - tail : tail;
  return a < 0.47 ? power * (1 - __treadle_fine_erf_near(x)) : far;
}

#if __TREADLE_FMAD
#pragma clang fp contract(fast)
#else
#pragma clang fp contract(off)
#endif
#undef __TREADLE_REAL
#undef __TREADLE_WIDE
#undef __TREADLE_OWN
#undef __TREADLE_ROUNDER
#undef __TREADLE_INFINITE
#undef __TREADLE_NAN
