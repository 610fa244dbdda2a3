// SPDX-License-Identifier: MIT
// Functions of one or two floats, most of them C's. Each is computed in double without a branch: the compiler has it
// for 4 to 16 threads at once in any loop, under any condition, and a thread's result does not depend on where in a
// row it stands. The error is at most 0.6 units in the last place (0.9 of expf and logf, 1.1 of tanhf), where CUDA
// allows 1 to 8.
//
// The polynomials interpolate at Chebyshev's points, in relative error below 1e-10 each.
#pragma once

// Products and sums are fused under --fmad=false, too: their functions are the same there on a GPU, and take half as long.
#pragma clang fp contract(fast)

// Never calls: `static`, for a function of C++ may have the name that a text gives to its own, as on a GPU.
#define __TREADLE_OWN static __inline__ __host__ __device__ __attribute__((always_inline, const, nothrow))
#define __TREADLE_REAL __TREADLE_OWN float
#define __TREADLE_WIDE __TREADLE_OWN double

__TREADLE_WIDE __treadle_from_bits(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
__TREADLE_OWN unsigned long long __treadle_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }

__TREADLE_REAL __treadle_float_from_bits(unsigned bits) { return __builtin_bit_cast(float, bits); }

// x + 1.5 * 2^52 has x, rounded to a whole number, in its lowest bits.
#define __TREADLE_ROUNDER 6755399441055744.0
#define __TREADLE_INFINITE __builtin_huge_val()
#define __TREADLE_NAN __builtin_nan("")

// ---- e^x: x = k ln 2 + r; of r the even and the odd part, of which each function takes its mixture ----

struct __treadle_power {
  double even, odd;  // cosh r - 1, sinh r
  double up, down;   // 2^(k-1), 2^(-k-1)
};

__TREADLE_OWN __treadle_power __treadle_power_parts(double r, double rounded) {
  const unsigned long long k = __treadle_bits(rounded) << 52;
  const double t = r * r;
  return {t * (0.4999999999995328 +
               t * (0.041666666789891914 + t * (0.0013888838109196045 + t * 2.4868533846344907e-05))),
          r + r * t * (0.16666666789936505 + t * (0.008333282536838129 + t * 0.00019908233311258217)),
          __treadle_from_bits(0x3fe0000000000000 + k), __treadle_from_bits(0x3fe0000000000000 - k)};
}
__TREADLE_OWN __treadle_power __treadle_power_of_e(double x) {
  const double rounded = x * 1.4426950408889634 + __TREADLE_ROUNDER, k = rounded - __TREADLE_ROUNDER;
  return __treadle_power_parts(x - k * 0.693147180369123816490 - k * 1.90821492927058770002e-10, rounded);
}
// x within what a float's power can be told apart by, a NaN as it is.
__TREADLE_WIDE __treadle_clamp(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }
__TREADLE_WIDE __treadle_exp_of(const __treadle_power& p) { return (1 + (p.odd + p.even)) * (p.up + p.up); }
__TREADLE_WIDE __treadle_exp2_wide(double x) {
  const double rounded = x + __TREADLE_ROUNDER, k = rounded - __TREADLE_ROUNDER;
  return __treadle_exp_of(__treadle_power_parts((x - k) * 0.6931471805599453, rounded));
}
__TREADLE_WIDE __treadle_exp_wide(double x) { return __treadle_exp_of(__treadle_power_of_e(x)); }

// In float alone, twice as fast: e^x, log x and tanh x are what kernels compute most.
struct __treadle_float_power {
  float rest;  // e^a / 2^whole
  int whole;
};

// Products with the first part of ln 2 are exact.
__TREADLE_OWN __treadle_float_power __treadle_float_power_of_e(float a) {
  const float rounded = a * 1.44269504f + 12582912.0f, k = rounded - 12582912.0f;
  const float near = a - k * 0.693359375f, less = k * 2.12194440e-4f, r = near + less;
  return {1 + (near + (less + r * r *
                                  (0.5000000014286223f +
                                   r * (0.16666666682534356f +
                                        r * (0.04166645680967788f +
                                             r * (0.008333310024225292f +
                                                  r * (0.0013934541928270264f + r * 0.0001989198131397769f))))))),
          (int)(__builtin_bit_cast(unsigned, rounded) - 0x4b400000)};
}
// 2^k for k from -126 to 127.
__TREADLE_REAL __treadle_float_power_of_2(int k) { return __treadle_float_from_bits((unsigned)(k + 127) << 23); }

__TREADLE_REAL expf(float x) {
  const __treadle_float_power p = __treadle_float_power_of_e(x < -110 ? -110 : x > 89 ? 89 : x);
  // In two parts, as the power of 2 may lie outside of float's range.
  const int half = p.whole >> 1;
  return p.rest * __treadle_float_power_of_2(half) * __treadle_float_power_of_2(p.whole - half);
}
__TREADLE_REAL exp2f(float x) { return (float)__treadle_exp2_wide(__treadle_clamp(x, 200)); }
__TREADLE_REAL exp10f(float x) { return (float)__treadle_exp2_wide(__treadle_clamp(x, 60) * 3.321928094887362); }
__TREADLE_REAL expm1f(float x) {
  const __treadle_power p = __treadle_power_of_e(__treadle_clamp(x, 150));
  const double scale = p.up + p.up;
  return __builtin_copysignf((float)((p.odd + p.even) * scale + (scale - 1)), x);
}
__TREADLE_REAL sinhf(float x) {
  const __treadle_power p = __treadle_power_of_e(__treadle_clamp(x, 150));
  return __builtin_copysignf((float)(p.odd * (p.up + p.down) + (1 + p.even) * (p.up - p.down)), x);
}
__TREADLE_REAL coshf(float x) {
  const __treadle_power p = __treadle_power_of_e(__treadle_clamp(x, 150));
  return (float)((1 + p.even) * (p.up + p.down) + p.odd * (p.up - p.down));
}
// Below 0.7 by a polynomial, beyond as 1 - 2 / (e^2x + 1).
__TREADLE_REAL tanhf(float x) {
  const float a = __builtin_fabsf(x), t = a * a;
  const float below =
      a + a * t *
              (-0.33333332768910134f +
               t * (0.13333250168927654f +
                    t * (-0.053948170331441204f +
                         t * (0.021689405899067454f + t * (-0.008113507021670555f + t * 0.0020606214347407233f)))));
  const __treadle_float_power p = __treadle_float_power_of_e(a > 10 ? 20 : a + a);
  const float beyond = 1 - 2 / (p.rest * __treadle_float_power_of_2(p.whole) + 1);
  return __builtin_copysignf(a < 0.7f ? below : beyond, x);
}

// ---- log x: x = 2^k m with m between sqrt(1/2) and sqrt 2; log m = 2 atanh((m - 1) / (m + 1)) ----

struct __treadle_logarithm {
  double whole, rest;  // k, log m
};

// `near` in the place of m - 1 where k is 0: what of x - 1 is lost in x.
__TREADLE_OWN __treadle_logarithm __treadle_logarithm_near(double x, double near) {
  const unsigned long long bits = __treadle_bits(x), k = (bits - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52;
  const double whole = __treadle_from_bits(k | 0x4330000000000000) - 4503599627371519.0;
  const double m = __treadle_from_bits(bits - (k << 52) + 0x3ff0000000000000);
  const double f = whole == 0 ? near : m - 1;
  const double s = f / (f + 2), t = s * s;
  return {whole, s * (2.00000000000845 +
                      t * (0.6666666523515579 +
                           t * (0.4000038718742205 + t * (0.2853489153226327 + t * 0.2361945488277656))))};
}
__TREADLE_OWN __treadle_logarithm __treadle_logarithm_of(double x) { return __treadle_logarithm_near(x, x - 1); }
// The logarithm of what is no positive number.
__TREADLE_WIDE __treadle_log_or(double result, double x) {
  return x < 0 ? __TREADLE_NAN : x == 0 ? -__TREADLE_INFINITE : x < __TREADLE_INFINITE ? result : x;
}
__TREADLE_WIDE __treadle_log2_wide(double x) {
  const __treadle_logarithm l = __treadle_logarithm_of(x);
  return l.rest * 1.4426950408889634 + l.whole;
}
__TREADLE_WIDE __treadle_log_wide(double x) {
  const __treadle_logarithm l = __treadle_logarithm_of(x);
  return l.rest + l.whole * 0.6931471805599453;
}
__TREADLE_WIDE __treadle_log1p_wide(double x) {
  const __treadle_logarithm l = __treadle_logarithm_near(1 + x, x);
  return __treadle_log_or(l.rest + l.whole * 0.6931471805599453, 1 + x);
}

__TREADLE_REAL logf(float x) {
  const bool denormal = x < 1.17549435e-38f;
  const unsigned bits = __builtin_bit_cast(unsigned, denormal ? x * 8388608.0f : x);
  const int whole = (int)(bits - 0x3f3504f3) >> 23;
  const float f = __treadle_float_from_bits(bits - ((unsigned)whole << 23)) - 1,
              k = (float)(denormal ? whole - 23 : whole);
  const float p =
      0.33333331180030046f +
      f * (-0.24999996957950882f +
           f * (0.200007157488921f +
                f * (-0.16667802319501254f +
                     f * (0.1424905764569748f + f * (-0.12425687331451106f +
                                                     f * (0.1168541992348674f + f * (-0.11479733846637635f +
                                                                                     f * 0.06971611471451178f)))))));
  const float result = k * 0.693359375f + (f + (f * f * (-0.5f + f * p) + k * -2.12194440e-4f));
  return x < 0 ? (float)__TREADLE_NAN : x == 0 ? -__builtin_huge_valf() : x < __builtin_huge_valf() ? result : x;
}
__TREADLE_REAL log2f(float x) { return (float)__treadle_log_or(__treadle_log2_wide(x), x); }
__TREADLE_REAL log10f(float x) {
  const __treadle_logarithm l = __treadle_logarithm_of(x);
  return (float)__treadle_log_or(l.rest * 0.4342944819032518 + l.whole * 0.30102999566398120, x);
}
__TREADLE_REAL log1pf(float x) { return __builtin_copysignf((float)__treadle_log1p_wide(x), x); }
__TREADLE_REAL asinhf(float x) {
  const double a = __builtin_fabs((double)x), square = a * a;
  // Of an infinite a, infinity / infinity is not wanted.
  const double more = a < 1e40 ? square / (1 + __builtin_sqrt(square + 1)) : a;
  return __builtin_copysignf((float)__treadle_log1p_wide(a + more), x);
}
__TREADLE_REAL acoshf(float x) {
  const double t = (double)x - 1, result = __treadle_log1p_wide(t + __builtin_sqrt(t * (t + 2)));
  return (float)(x < 1 ? __TREADLE_NAN : result);
}
__TREADLE_REAL atanhf(float x) {
  const double a = __builtin_fabs((double)x), result = __treadle_log1p_wide(2 * a / (1 - a));
  return __builtin_copysignf((float)(a > 1 ? __TREADLE_NAN : 0.5 * result), x);
}

// x^y = 2^(y log2 x), of any x and y.
__TREADLE_REAL __treadle_powf(float x, float y) {
  const double a = __builtin_fabs((double)x), half = (double)y * 0.5;
  const bool whole = __builtin_rint((double)y) == y, odd = whole && __builtin_rint(half) != half;
  const double exponent = (double)y * __treadle_log_or(__treadle_log2_wide(a), a);
  const double size = a == 1 && y == y ? 1 : __treadle_exp2_wide(__treadle_clamp(exponent, 200));
  const double value = x < 0 && a < __TREADLE_INFINITE && !whole ? __TREADLE_NAN : size;
  const float result = (float)(__builtin_signbit(x) && odd ? -value : value);
  return x == 1 || y == 0 ? 1 : result;
}
// Products where the compiler knows the exponent.
__TREADLE_REAL powf(float x, float y) {
  if (__builtin_constant_p(y)) {
    if (y == 1) return x;
    if (y == 2) return x * x;
    if (y == 3) return (float)((double)x * x * x);
    if (y == 4) return (x * x) * (x * x);
    if (y == -1) return 1 / x;
  }
  return __treadle_powf(x, y);
}
// The cube root of a, which is no negative number.
__TREADLE_WIDE __treadle_cbrt_wide(double a) {
  const unsigned long long third = (__treadle_bits(a) >> 32) * 0x55555556 >> 32;
  double y = __treadle_from_bits((third + 715094163) << 32);
  for (int step = 0; step < 2; ++step) {  // Halley's: the error to the third power
    const double cube = y * y * y;
    y *= (cube + 2 * a) / (2 * cube + a);
  }
  return a > 0 && a < __TREADLE_INFINITE ? y : a;
}
__TREADLE_REAL cbrtf(float x) {
  return __builtin_copysignf((float)__treadle_cbrt_wide(__builtin_fabs((double)x)), x);
}
__TREADLE_REAL rcbrtf(float x) {
  return __builtin_copysignf((float)(1 / __treadle_cbrt_wide(__builtin_fabs((double)x))), x);
}
__TREADLE_REAL hypotf(float x, float y) {
  const double a = x, b = y;
  const bool infinite = __builtin_fabs(a) == __TREADLE_INFINITE || __builtin_fabs(b) == __TREADLE_INFINITE;
  return (float)(infinite ? __TREADLE_INFINITE : __builtin_sqrt(a * a + b * b));
}

// ---- sine and cosine: x in quarters of a turn is k + f with |f| <= 1/2 ----

// 2 / pi in two parts, the first of 29 bits, so that its product with a float is exact. Of a float that is a multiple
// of 2^(e - 23) and large, only the bits of 2 / pi below 2^(25 - e) matter: whole turns are left out. The first row
// is for all below 2^26, one row follows for each exponent.
static constexpr double __treadle_turns[][2] = {
    0x1.45f306d000000p-1,   0x1.9391054a7f09dp-30,  0x1.17cc1b6000000p-3,   0x1.27220a94fe13bp-31,
    0x1.17cc1b7000000p-3,   0x1.391054a7f09d6p-34,  0x1.7cc1b70000000p-7,   0x1.391054a7f09d6p-34,
    0x1.7cc1b70000000p-7,   0x1.391054a7f09d6p-34,  0x1.7cc1b72000000p-7,   0x1.c882a53f84eb0p-37,
    0x1.7cc1b72000000p-7,   0x1.c882a53f84eb0p-37,  0x1.f306dc8000000p-9,   0x1.c882a53f84eb0p-37,
    0x1.f306dc9000000p-9,   0x1.91054a7f09d5fp-38,  0x1.e60db93000000p-10,  0x1.220a94fe13abfp-39,
    0x1.cc1b727000000p-11,  0x1.1054a7f09d5f4p-42,  0x1.9836e4e000000p-12,  0x1.1054a7f09d5f4p-42,
    0x1.306dc9c000000p-13,  0x1.1054a7f09d5f4p-42,  0x1.836e4e4000000p-16,  0x1.054a7f09d5f48p-46,
    0x1.836e4e4000000p-16,  0x1.054a7f09d5f48p-46,  0x1.836e4e4000000p-16,  0x1.054a7f09d5f48p-46,
    0x1.06dc9c8000000p-17,  0x1.054a7f09d5f48p-46,  0x1.b727220000000p-23,  0x1.529fc2757d1f5p-52,
    0x1.b727220000000p-23,  0x1.529fc2757d1f5p-52,  0x1.b727220000000p-23,  0x1.529fc2757d1f5p-52,
    0x1.b727220000000p-23,  0x1.529fc2757d1f5p-52,  0x1.b727220000000p-23,  0x1.529fc2757d1f5p-52,
    0x1.b727220000000p-23,  0x1.529fc2757d1f5p-52,  0x1.6e4e441000000p-24,  0x1.4a7f09d5f47d5p-54,
    0x1.b939104000000p-26,  0x1.4a7f09d5f47d5p-54,  0x1.b939105000000p-26,  0x1.29fc2757d1f53p-56,
    0x1.727220a000000p-27,  0x1.29fc2757d1f53p-56,  0x1.c9c882a000000p-29,  0x1.4fe13abe8fa9ap-59,
    0x1.c9c882a000000p-29,  0x1.4fe13abe8fa9ap-59,  0x1.9391054000000p-30,  0x1.4fe13abe8fa9ap-59,
    0x1.27220a9000000p-31,  0x1.3f84eafa3ea6ap-61,  0x1.3910548000000p-34,  0x1.3f84eafa3ea6ap-61,
    0x1.391054a000000p-34,  0x1.fc2757d1f534ep-64,  0x1.391054a000000p-34,  0x1.fc2757d1f534ep-64,
    0x1.c882a50000000p-37,  0x1.fc2757d1f534ep-64,  0x1.c882a52000000p-37,  0x1.f84eafa3ea69cp-65,
    0x1.c882a53000000p-37,  0x1.f09d5f47d4d37p-66,  0x1.91054a7000000p-38,  0x1.e13abe8fa9a6fp-67,
    0x1.220a94f000000p-39,  0x1.c2757d1f534dep-68,  0x1.1054a7c000000p-42,  0x1.84eafa3ea69bcp-69,
    0x1.1054a7e000000p-42,  0x1.09d5f47d4d377p-70,  0x1.1054a7f000000p-42,  0x1.3abe8fa9a6ee0p-75,
    0x1.054a7f0000000p-46,  0x1.3abe8fa9a6ee0p-75,  0x1.054a7f0000000p-46,  0x1.3abe8fa9a6ee0p-75,
    0x1.054a7f0000000p-46,  0x1.3abe8fa9a6ee0p-75,  0x1.054a7f0000000p-46,  0x1.3abe8fa9a6ee0p-75,
    0x1.529fc20000000p-52,  0x1.d5f47d4d37703p-78,  0x1.529fc20000000p-52,  0x1.d5f47d4d37703p-78,
    0x1.529fc20000000p-52,  0x1.d5f47d4d37703p-78,  0x1.529fc24000000p-52,  0x1.abe8fa9a6ee07p-79,
    0x1.529fc26000000p-52,  0x1.57d1f534ddc0ep-80,  0x1.529fc27000000p-52,  0x1.5f47d4d377037p-82,
    0x1.4a7f09c000000p-54,  0x1.5f47d4d377037p-82,  0x1.4a7f09d000000p-54,  0x1.7d1f534ddc0dbp-84,
    0x1.29fc274000000p-56,  0x1.7d1f534ddc0dbp-84,  0x1.29fc275000000p-56,  0x1.f47d4d377036ep-86,
    0x1.4fe13a8000000p-59,  0x1.f47d4d377036ep-86,  0x1.4fe13aa000000p-59,  0x1.e8fa9a6ee06dbp-87,
    0x1.4fe13ab000000p-59,  0x1.d1f534ddc0db6p-88,  0x1.3f84eae000000p-61,  0x1.a3ea69bb81b6cp-89,
    0x1.3f84eaf000000p-61,  0x1.47d4d377036d9p-90,  0x1.fc2757c000000p-64,  0x1.1f534ddc0db63p-92,
    0x1.fc2757c000000p-64,  0x1.1f534ddc0db63p-92,  0x1.fc2757d000000p-64,  0x1.f534ddc0db629p-96,
    0x1.f84eafa000000p-65,  0x1.f534ddc0db629p-96,  0x1.f09d5f4000000p-66,  0x1.f534ddc0db629p-96,
    0x1.e13abe8000000p-67,  0x1.f534ddc0db629p-96,  0x1.c2757d1000000p-68,  0x1.ea69bb81b6c53p-97,
    0x1.84eafa3000000p-69,  0x1.d4d377036d8a5p-98,  0x1.09d5f47000000p-70,  0x1.a9a6ee06db14bp-99,
    0x1.3abe8f0000000p-75,  0x1.534ddc0db6296p-100, 0x1.3abe8f8000000p-75,  0x1.4d377036d8a56p-102,
    0x1.3abe8f8000000p-75,  0x1.4d377036d8a56p-102, 0x1.3abe8fa000000p-75,  0x1.34ddc0db6295ap-104,
    0x1.3abe8fa000000p-75,  0x1.34ddc0db6295ap-104, 0x1.d5f47d4000000p-78,  0x1.a6ee06db14acdp-107,
    0x1.d5f47d4000000p-78,  0x1.a6ee06db14acdp-107, 0x1.d5f47d4000000p-78,  0x1.a6ee06db14acdp-107,
    0x1.abe8fa9000000p-79,  0x1.4ddc0db629599p-108, 0x1.57d1f53000000p-80,  0x1.377036d8a5665p-110,
    0x1.5f47d4c000000p-82,  0x1.377036d8a5665p-110, 0x1.5f47d4d000000p-82,  0x1.bb81b6c52b328p-113,
    0x1.7d1f534000000p-84,  0x1.bb81b6c52b328p-113, 0x1.7d1f534000000p-84,  0x1.bb81b6c52b328p-113,
    0x1.f47d4d2000000p-86,  0x1.77036d8a5664fp-114, 0x1.f47d4d3000000p-86,  0x1.dc0db6295993cp-116,
    0x1.e8fa9a6000000p-87,  0x1.dc0db6295993cp-116, 0x1.d1f534d000000p-88,  0x1.b81b6c52b3279p-117,
    0x1.a3ea69b000000p-89,  0x1.7036d8a5664f1p-118, 0x1.47d4d37000000p-90,  0x1.c0db6295993c4p-120,
    0x1.1f534dc000000p-92,  0x1.c0db6295993c4p-120, 0x1.1f534dd000000p-92,  0x1.81b6c52b32788p-121,
    0x1.f534dd8000000p-96,  0x1.036d8a5664f11p-122, 0x1.f534ddc000000p-96,  0x1.b6c52b3278872p-129,
    0x1.f534ddc000000p-96,  0x1.b6c52b3278872p-129, 0x1.f534ddc000000p-96,  0x1.b6c52b3278872p-129,
    0x1.ea69bb8000000p-97,  0x1.b6c52b3278872p-129, 0x1.d4d3770000000p-98,  0x1.b6c52b3278872p-129,
    0x1.a9a6ee0000000p-99,  0x1.b6c52b3278872p-129, 0x1.534ddc0000000p-100, 0x1.b6c52b3278872p-129,
    0x1.4d37702000000p-102, 0x1.6d8a5664f10e4p-130, 0x1.4d37703000000p-102, 0x1.b6295993c4390p-132,
    0x1.34ddc0c000000p-104, 0x1.b6295993c4390p-132,
};

struct __treadle_angle {
  double sine, cosine;          // of the rest
  unsigned long long quarters;  // whose last two bits count
};

__TREADLE_OWN __treadle_angle __treadle_quarters(double f, unsigned long long quarters) {
  const double t = f * f;
  return {f * (1.5707963267881 +
               t * (-0.6459640961467954 +
                    t * (0.07969258272563062 + t * (-0.004681266256726245 + t * 0.00015820630355647733)))),
          0.9999999999524894 + t * (-1.2337005406331623 + t * (0.2536692036551135 + t * (-0.02086006950026408 +
                                                                                         t * 0.0009036280663802505))),
          quarters};
}
__TREADLE_OWN __treadle_angle __treadle_angle_of(float x) {
  const int exponent = (int)(__builtin_bit_cast(unsigned, x) >> 23 & 255) - (127 + 25);
  const int row = exponent < 0 ? 0 : exponent;
  const double turns = x * __treadle_turns[row][0], rounded = turns + __TREADLE_ROUNDER;
  return __treadle_quarters(turns - (rounded - __TREADLE_ROUNDER) + x * __treadle_turns[row][1],
                            __treadle_bits(rounded));
}
__TREADLE_WIDE __treadle_sine_of(const __treadle_angle& a, unsigned long long more) {
  const unsigned long long quarters = a.quarters + more;
  return __treadle_from_bits(__treadle_bits(quarters & 1 ? a.cosine : a.sine) ^ (quarters & 2) << 62);
}
__TREADLE_REAL sinf(float x) { return (float)__treadle_sine_of(__treadle_angle_of(x), 0); }
__TREADLE_REAL cosf(float x) { return (float)__treadle_sine_of(__treadle_angle_of(x), 1); }
__TREADLE_REAL tanf(float x) {
  const __treadle_angle a = __treadle_angle_of(x);
  return (float)(a.quarters & 1 ? -a.cosine / a.sine : a.sine / a.cosine);
}

// Of x less its whole turns, which is exact. At whole numbers the sine is a zero with the sign of x, as IEEE 754 has
// it.
__TREADLE_OWN __treadle_angle __treadle_angle_of_pi(float x) {
  const double halves = 2 * ((double)x - 2 * (double)__builtin_truncf(x * 0.5f)),
               rounded = halves + __TREADLE_ROUNDER;
  return __treadle_quarters(halves - (rounded - __TREADLE_ROUNDER), __treadle_bits(rounded));
}
__TREADLE_REAL sinpif(float x) {
  return x == __builtin_truncf(x) ? x * 0 : (float)__treadle_sine_of(__treadle_angle_of_pi(x), 0);
}
__TREADLE_REAL cospif(float x) { return (float)(__treadle_sine_of(__treadle_angle_of_pi(x), 1) + 0.0); }

// ---- inverse trigonometric functions ----

__TREADLE_WIDE __treadle_atan_below_1(double z) {
  const double t = z * z;
  return z * (0.9999999999887381 +
              t * (-0.3333333295165722 +
                   t * (0.19999978336217084 +
                        t * (-0.1428522560816021 +
                             t * (0.11105306732424464 +
                                  t * (-0.09049179093720577 +
                                       t * (0.07495262378099696 +
                                            t * (-0.06022196387937433 +
                                                 t * (0.04364658944281667 +
                                                      t * (-0.02600599597760862 +
                                                           t * (0.011427633277375594 +
                                                                t * (-0.0031954252407363944 +
                                                                     t * 0.00041922786011272897))))))))))));
}
__TREADLE_REAL atanf(float x) {
  const double a = __builtin_fabs((double)x);
  const double angle = __treadle_atan_below_1(a > 1 ? 1 / a : a);
  return __builtin_copysignf((float)(a > 1 ? 1.5707963267948966 - angle : angle), x);
}
__TREADLE_REAL atan2f(float y, float x) {
  const double a = __builtin_fabs((double)x), b = __builtin_fabs((double)y);
  const bool steep = b > a;
  const double less = steep ? a : b, more = steep ? b : a;
  const double ratio = less == more ? (more > 0 ? 1.0 : 0.0) : less / more, angle = __treadle_atan_below_1(ratio);
  const double near = steep ? 1.5707963267948966 - angle : angle;
  return __builtin_copysignf((float)(__builtin_signbit(x) ? 3.141592653589793 - near : near), y);
}
// asin(z) for |z| at most 1/2, t its square.
__TREADLE_WIDE __treadle_asin_below_half(double z, double t) {
  return z * (1.000000000000825 +
              t * (0.16666666613278705 +
                   t * (0.07500005655821883 +
                        t * (0.04464056469220037 +
                             t * (0.03042811901907943 +
                                  t * (0.02185574259984348 +
                                       t * (0.02068132717169167 +
                                            t * (0.0019156113431105127 + t * (0.03295759470084881)))))))));
}
__TREADLE_REAL asinf(float x) {
  const double a = __builtin_fabs((double)x), t = a > 0.5 ? 0.5 * (1 - a) : a * a;
  const double angle = __treadle_asin_below_half(a > 0.5 ? __builtin_sqrt(t) : a, t);
  return __builtin_copysignf((float)(a > 0.5 ? 1.5707963267948966 - 2 * angle : angle), x);
}
__TREADLE_REAL acosf(float x) {
  const double a = __builtin_fabs((double)x), t = a > 0.5 ? 0.5 * (1 - a) : a * a;
  const double angle = __treadle_asin_below_half(a > 0.5 ? __builtin_sqrt(t) : (double)x, t);
  const double outer = x < 0 ? 3.141592653589793 - 2 * angle : 2 * angle;
  return (float)(a > 0.5 ? outer : 1.5707963267948966 - angle);
}

// ---- the error function: below 1 by its series, beyond as 1 - e^(-x x) erfcx(x) ----

// erfcx(a) for 0 <= a <= 10.2.
__TREADLE_WIDE __treadle_erfcx_wide(double a) {
  const double t = (a - 3) / (a + 3);
  return (1.2530080582782335 +
          t * (-0.1356211063987206 +
               t * (-0.04756229591214243 +
                    t * (0.12964517453145144 +
                         t * (-0.11927361009849632 +
                              t * (0.06830778324973019 +
                                   t * (-0.023771248700283323 +
                                        t * (0.0025307788465699465 +
                                             t * (0.0018934702381620573 +
                                                  t * (-0.0007819760519059106 +
                                                       t * (-0.00011971601190061259 +
                                                            t * (0.00011956246061208126 +
                                                                 t * (2.139989309208163e-05 +
                                                                      t * (-4.1589670163049515e-06)))))))))))))) /
         (1 + 2 * a);
}
__TREADLE_WIDE __treadle_erfc_wide(double x) {
  const double a = __builtin_fabs(x), near = a > 10.2 ? 10.2 : a;
  const double tail = __treadle_exp_wide(-near * near) * __treadle_erfcx_wide(near);
  return x < 0 ? 2 - tail : tail;
}
__TREADLE_REAL erff(float x) {
  const double a = __builtin_fabs((double)x), t = a * a;
  const double series =
      a * (1.1283791670946768 +
           t * (-0.3761263888963531 +
                t * (0.11283791308604582 +
                     t * (-0.026866133235095593 +
                          t * (0.005223783477189248 +
                               t * (-0.0008542637997087229 +
                                    t * (0.0001195656256820733 +
                                         t * (-1.3909340021874599e-05 + t * (1.058938064107502e-06)))))))));
  return __builtin_copysignf((float)(a < 1 ? series : 1 - __treadle_erfc_wide(a)), x);
}
__TREADLE_REAL erfcf(float x) { return (float)__treadle_erfc_wide(x); }
__TREADLE_REAL normcdff(float x) { return (float)(0.5 * __treadle_erfc_wide(x * -0.7071067811865476)); }
__TREADLE_REAL erfcxf(float x) {
  const double a = __builtin_fabs((double)x), s = 0.5 / (a * a);
  const double far = 0.5641895835477563 / a * (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s)))));
  const double value = a < 10.2 ? __treadle_erfcx_wide(a) : far;
  return (float)(x < 0 ? 2 * __treadle_exp_wide(a < 10.2 ? a * a : 200) - value : value);
}

// glibc's own for floats is 6 units in the last place off, where CUDA promises 5.
__TREADLE_REAL tgammaf(float x) { return (float)tgamma((double)x); }
