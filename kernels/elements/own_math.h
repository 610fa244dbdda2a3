// SPDX-License-Identifier: MIT
// C's functions of a float, for run-times of OpenCL whose own are computed one work-item at a time or are less exact:
// treadle_own_NAME takes the place of NAME where treadle/codegen/device_functions.hpp says so. They are what
// kernels/cuda_cpu/treadle/math_float.h explains, in C, and without its longest polynomials: in double, without a branch.
// elements.h says how this is read.

// 2^k (even + 1 + odd) is e^x; even, odd, 2^(k-1), 2^(-k-1). `rounded` has k in its lowest bits.
TREADLE_FUNCTION double4 treadle_math_power(double r, double rounded)
{
  ulong k = as_ulong(rounded) << 52;
  double t = r * r;
  double even = t * (0.4999999999995328 + t * (0.041666666789891914 + t * (0.0013888838109196045 +
                t * 2.4868533846344907e-05)));
  double odd = r + r * t * (0.16666666789936505 + t * (0.008333282536838129 + t * 0.00019908233311258217));
  return (double4)(even, odd, as_double(0x3fe0000000000000 + k), as_double(0x3fe0000000000000 - k));
}

TREADLE_FUNCTION double treadle_math_clamp(double x, double limit)
{
  return x < -limit ? -limit : x > limit ? limit : x;
}

TREADLE_FUNCTION double4 treadle_math_power_of_e(double x)
{
  double rounded = x * 1.4426950408889634 + 6755399441055744.0, k = rounded - 6755399441055744.0;
  return treadle_math_power(x - k * 0.6931471805599453, rounded);
}

TREADLE_FUNCTION double treadle_math_exp2(double x)
{
  double rounded = x + 6755399441055744.0, r = x - (rounded - 6755399441055744.0);
  double4 p = treadle_math_power(r * 0.6931471805599453, rounded);
  return (1 + (p.y + p.x)) * (p.z + p.z);
}

TREADLE_FUNCTION float treadle_own_exp2(float x)
{
  return (float)treadle_math_exp2(treadle_math_clamp(x, 200));
}

TREADLE_FUNCTION float treadle_own_exp10(float x)
{
  return (float)treadle_math_exp2(treadle_math_clamp(x, 60) * 3.321928094887362);
}

TREADLE_FUNCTION float treadle_own_expm1(float x)
{
  double4 p = treadle_math_power_of_e(treadle_math_clamp(x, 150));
  double scale = p.z + p.z;
  return copysign((float)((p.y + p.x) * scale + (scale - 1)), x);
}

TREADLE_FUNCTION float treadle_own_sinh(float x)
{
  double4 p = treadle_math_power_of_e(treadle_math_clamp(x, 150));
  return copysign((float)(p.y * (p.z + p.w) + (1 + p.x) * (p.z - p.w)), x);
}

TREADLE_FUNCTION float treadle_own_cosh(float x)
{
  double4 p = treadle_math_power_of_e(treadle_math_clamp(x, 150));
  return (float)((1 + p.x) * (p.z + p.w) + p.y * (p.z - p.w));
}

TREADLE_FUNCTION float treadle_own_tanh(float x)
{
  double4 p = treadle_math_power_of_e(treadle_math_clamp(x, 20));
  double sum = p.z + p.w, difference = p.z - p.w, even = 1 + p.x;
  return copysign((float)((p.y * sum + even * difference) / (even * sum + p.y * difference)), x);
}

// x in quarters of a turn is k + f; f, and what has k in its lowest bits. Of 2 / pi only those bits count that do not
// make whole turns of a multiple of x's last place: 29 of them, whose product is exact, and 53 more.
TREADLE_FUNCTION double2 treadle_math_quarters(float x)
{
  uint bits = as_uint(x);
  int exponent = (int)(bits >> 23 & 255) - 152, above = exponent > 0 ? exponent : 0, at = above & 63;
  ulong first = above < 64 ? 0xa2f9836e4e441529 : 0xfc2757d1f534ddc0;
  ulong second = above < 64 ? 0xfc2757d1f534ddc0 : 0xdb6295993c439041;
  ulong third = above < 64 ? 0xdb6295993c439041 : 0xfe5163abdebbc561;
  ulong window = first << at | second >> 1 >> (63 - at);
  int next = (at + 29) & 63;
  ulong rest = (at < 35 ? first : second) << next | (at < 35 ? second : third) >> 1 >> (63 - next);
  double scaled = as_float(bits - ((uint)above << 23));
  double turns = scaled * (double)(int)(window >> 35) * 0x1p-29, rounded = turns + 6755399441055744.0;
  return (double2)(turns - (rounded - 6755399441055744.0) + scaled * (double)(long)(rest >> 11) * 0x1p-82, rounded);
}

TREADLE_FUNCTION double treadle_math_sine(double2 quarters, ulong more)
{
  double f = quarters.x, t = f * f;
  ulong k = as_ulong(quarters.y) + more;
  double sine = f * (1.5707963267881 + t * (-0.6459640961467954 + t * (0.07969258272563062 +
                t * (-0.004681266256726245 + t * 0.00015820630355647733))));
  double cosine = 0.9999999999524894 + t * (-1.2337005406331623 + t * (0.2536692036551135 +
                  t * (-0.02086006950026408 + t * 0.0009036280663802505)));
  return as_double(as_ulong((k & 1) != 0 ? cosine : sine) ^ (k & 2) << 62);
}

TREADLE_FUNCTION float treadle_own_sin(float x)
{
  float sine = (float)treadle_math_sine(treadle_math_quarters(x), 0);
  return fabs(x) < INFINITY ? sine : x - x;
}

TREADLE_FUNCTION float treadle_own_cos(float x)
{
  float cosine = (float)treadle_math_sine(treadle_math_quarters(x), 1);
  return fabs(x) < INFINITY ? cosine : x - x;
}

TREADLE_FUNCTION float treadle_own_tan(float x)
{
  double2 quarters = treadle_math_quarters(x);
  float tangent = (float)(treadle_math_sine(quarters, 0) / treadle_math_sine(quarters, 1));
  return fabs(x) < INFINITY ? tangent : x - x;
}

// k and log m of a positive x = 2^k m; `near` in the place of m - 1 where k is 0.
TREADLE_FUNCTION double2 treadle_math_logarithm(double x, double near)
{
  ulong bits = as_ulong(x), k = (bits - 0x3fe6a09e667f3bcd + 0x3ff0000000000000) >> 52;
  double whole = as_double(k | 0x4330000000000000) - 4503599627371519.0;
  double f = whole == 0 ? near : as_double(bits - (k << 52) + 0x3ff0000000000000) - 1;
  double s = f / (f + 2), t = s * s;
  return (double2)(whole, s * (2.00000000000845 + t * (0.6666666523515579 + t * (0.4000038718742205 +
                              t * (0.2853489153226327 + t * 0.2361945488277656)))));
}

TREADLE_FUNCTION double treadle_math_log_or(double result, double x)
{
  return x < 0 ? (double)NAN : x == 0 ? -(double)INFINITY : x < (double)INFINITY ? result : x;
}

TREADLE_FUNCTION double treadle_math_log1p(double x)
{
  double2 l = treadle_math_logarithm(1 + x, x);
  return treadle_math_log_or(l.y + l.x * 0.6931471805599453, 1 + x);
}

TREADLE_FUNCTION float treadle_own_log(float x)
{
  double2 l = treadle_math_logarithm(x, (double)x - 1);
  return (float)treadle_math_log_or(l.y + l.x * 0.6931471805599453, x);
}

TREADLE_FUNCTION float treadle_own_log2(float x)
{
  double2 l = treadle_math_logarithm(x, (double)x - 1);
  return (float)treadle_math_log_or(l.y * 1.4426950408889634 + l.x, x);
}

TREADLE_FUNCTION float treadle_own_log10(float x)
{
  double2 l = treadle_math_logarithm(x, (double)x - 1);
  return (float)treadle_math_log_or(l.y * 0.4342944819032518 + l.x * 0.3010299956639812, x);
}

TREADLE_FUNCTION float treadle_own_log1p(float x)
{
  return copysign((float)treadle_math_log1p(x), x);
}

TREADLE_FUNCTION float treadle_own_asinh(float x)
{
  double a = fabs((double)x), square = a * a;
  return copysign((float)treadle_math_log1p(a + (a < 1e40 ? square / (1 + sqrt(square + 1)) : a)), x);
}

TREADLE_FUNCTION float treadle_own_acosh(float x)
{
  double t = (double)x - 1, result = treadle_math_log1p(t + sqrt(t * (t + 2)));
  return x < 1 ? NAN : (float)result;
}

TREADLE_FUNCTION float treadle_own_atanh(float x)
{
  double a = fabs((double)x), result = 0.5 * treadle_math_log1p(2 * a / (1 - a));
  return copysign(a > 1 ? NAN : (float)result, x);
}

TREADLE_FUNCTION float treadle_own_pow(float x, float y)
{
  double a = fabs((double)x), p = y, half_p = p * 0.5;
  bool whole = rint(p) == p, odd = whole && rint(half_p) != half_p;
  double2 l = treadle_math_logarithm(a, a - 1);
  double exponent = p * treadle_math_log_or(l.y * 1.4426950408889634 + l.x, a);
  double size = a == 1 && p == p ? 1 : treadle_math_exp2(treadle_math_clamp(exponent, 200));
  double value = x < 0 && a < (double)INFINITY && !whole ? (double)NAN : size;
  return x == 1 || y == 0 ? 1 : (float)(as_int(x) < 0 && odd ? -value : value);
}

TREADLE_FUNCTION float treadle_own_cbrt(float x)
{
  double a = fabs((double)x);
  double y = as_double((((as_ulong(a) >> 32) * 0x55555556 >> 32) + 715094163) << 32);
  double cube = y * y * y;
  y *= (cube + 2 * a) / (2 * cube + a);
  cube = y * y * y;
  y *= (cube + 2 * a) / (2 * cube + a);
  return copysign((float)(a > 0 && a < (double)INFINITY ? y : a), x);
}

TREADLE_FUNCTION float treadle_own_hypot(float x, float y)
{
  double a = x, b = y;
  float length = (float)sqrt(a * a + b * b);
  return fabs(x) == INFINITY || fabs(y) == INFINITY ? INFINITY : length;
}

TREADLE_FUNCTION float treadle_own_asin(float x)
{
  double a = fabs((double)x), t = a > 0.5 ? 0.5 * (1 - a) : a * a;
  double angle = treadle_math_asin(a > 0.5 ? sqrt(t) : a, t);
  return copysign((float)(a > 0.5 ? 1.5707963267948966 - 2 * angle : angle), x);
}

// asin(z) for |z| at most 1/2, t its square.
TREADLE_FUNCTION double treadle_math_asin(double z, double t)
{
  return z * (1.000000000000825 + t * (0.16666666613278705 + t * (0.07500005655821883 + t * (0.04464056469220037 +
         t * (0.03042811901907943 + t * (0.02185574259984348 + t * (0.02068132717169167 + t * (0.0019156113431105127 +
         t * 0.03295759470084881))))))));
}

TREADLE_FUNCTION float treadle_own_acos(float x)
{
  double a = fabs((double)x), t = a > 0.5 ? 0.5 * (1 - a) : a * a;
  double angle = treadle_math_asin(a > 0.5 ? sqrt(t) : (double)x, t);
  double outer = x < 0 ? 3.141592653589793 - 2 * angle : 2 * angle;
  return (float)(a > 0.5 ? outer : 1.5707963267948966 - angle);
}

// In float alone: NVIDIA's GPUs take it, too.
TREADLE_FUNCTION float treadle_own_atan(float x)
{
  float a = fabs(x), z = a > 1 ? 1 / a : a, t = z * z;
  float angle = z + z * t * (-0.33333333f + t * (0.19999978f + t * (-0.14285226f + t * (0.11105307f +
                t * (-0.090491791f + t * (0.074952624f + t * (-0.060221964f + t * (0.043646589f + t * (-0.026005996f +
                t * (0.011427633f + t * (-0.0031954252f + t * 0.00041922786f)))))))))));
  return copysign(a > 1 ? 1.57079637f - (angle + 4.37113883e-8f) : angle, x);
}

TREADLE_FUNCTION float treadle_own_atan2(float y, float x)
{
  double a = fabs((double)x), b = fabs((double)y);
  bool steep = b > a;
  double less = steep ? a : b, more = steep ? b : a;
  double z = less == more ? (more > 0 ? 1.0 : 0.0) : less / more, t = z * z;
  double angle = z * (0.9999999999887381 + t * (-0.3333333295165722 + t * (0.19999978336217084 +
                 t * (-0.1428522560816021 + t * (0.11105306732424464 + t * (-0.09049179093720577 +
                 t * (0.07495262378099696 + t * (-0.06022196387937433 + t * (0.04364658944281667 +
                 t * (-0.02600599597760862 + t * (0.011427633277375594 + t * (-0.0031954252407363944 +
                 t * 0.00041922786011272897))))))))))));
  double near = steep ? 1.5707963267948966 - angle : angle;
  return copysign((float)(as_int(x) < 0 ? 3.141592653589793 - near : near), y);
}
