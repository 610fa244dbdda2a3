// SPDX-License-Identifier: MIT
// Powers, exponential and trigonometric functions of complex numbers; elements.h says how this is
// read. Where a result is infinite or no number it is as C's <complex.h> has it (annex G).

TREADLE_FUNCTION TYPE treadle_scale_DTYPE(TYPE a, REAL factor)
{
  return treadle_make_vector(TYPE)(a.x * factor, a.y * factor);
}

// a times i, and divided by it: what turns hyperbolic functions into trigonometric ones.
TREADLE_FUNCTION TYPE treadle_times_i_DTYPE(TYPE a)
{
  return treadle_make_vector(TYPE)(-a.y, a.x);
}

TREADLE_FUNCTION TYPE treadle_over_i_DTYPE(TYPE a)
{
  return treadle_make_vector(TYPE)(a.y, -a.x);
}

// The root with a real part that is not negative. Squares must neither overflow nor vanish: numbers
// that are very large or small are brought nearer to 1 first.
TREADLE_FUNCTION TYPE treadle_sqrt_DTYPE(TYPE a)
{
  if (isinf(a.y)) return treadle_make_vector(TYPE)(TREADLE_INFINITY, a.y);
  if (isinf(a.x)) {
    REAL rest = isnan(a.y) ? a.y : 0;
    if (a.x > 0) return treadle_make_vector(TYPE)(a.x, copysign(rest, a.y));
    return treadle_make_vector(TYPE)(rest, copysign(-a.x, a.y));
  }
  if (a.x == 0 && a.y == 0) return treadle_make_vector(TYPE)(0, a.y);
  REAL size = fmax(fabs(a.x), fabs(a.y));
  REAL before = size > 1.0e30 ? 0.0625 : size < 1.0e-30 ? 1267650600228229401496703205376.0 : 1.0;
  REAL after = size > 1.0e30 ? 4.0 : size < 1.0e-30 ? 8.8817841970012523234e-16 : 1.0;
  REAL x = a.x * before, y = a.y * before;
  REAL root = sqrt((fabs(x) + hypot(x, y)) * 0.5);
  REAL other = fabs(y) / (2 * root);
  return treadle_make_vector(TYPE)((x < 0 ? other : root) * after,
      copysign((x < 0 ? root : other) * after, a.y));
}

TREADLE_FUNCTION TYPE treadle_exp_DTYPE(TYPE a)
{
  REAL size = exp(a.x);
  if (a.y == 0) return treadle_make_vector(TYPE)(size, a.y);
  if (isinf(a.x) && !isfinite(a.y))
    return a.x < 0 ? treadle_make_vector(TYPE)(0, 0)
        : treadle_make_vector(TYPE)(a.x, TREADLE_NAN);
  if (!isinf(size) || isinf(a.x))
    return treadle_make_vector(TYPE)(size * cos(a.y), size * sin(a.y));
  // The size overflows; its product with a sine need not.
  REAL half_size = exp(a.x * 0.5);
  return treadle_make_vector(TYPE)(half_size * cos(a.y) * half_size,
      half_size * sin(a.y) * half_size);
}

TREADLE_FUNCTION TYPE treadle_exp2_DTYPE(TYPE a)
{
  return treadle_exp_DTYPE(treadle_scale_DTYPE(a, 0.69314718055994530942));
}

// exp(a) - 1, exact to the last digits near 0.
TREADLE_FUNCTION TYPE treadle_expm1_DTYPE(TYPE a)
{
  REAL half_sine = sin(a.y * 0.5);
  return treadle_make_vector(TYPE)(expm1(a.x) * cos(a.y) - 2 * half_sine * half_sine,
      exp(a.x) * sin(a.y));
}

// log(sqrt(x * x + y * y)). Near 1 the logarithm's argument must not be rounded, and the root of what is
// very small or large is no number with all its digits.
TREADLE_FUNCTION REAL treadle_log_hypot_DTYPE(REAL x, REAL y)
{
  REAL larger = fmax(fabs(x), fabs(y));
  bool moderate = larger > 1.0e-30 && larger < 1.0e30 && !(larger > 0.5 && larger < 2.0);
  if (moderate || larger == 0 || !isfinite(x) || !isfinite(y)) return log(hypot(x, y));
  return treadle_extended_log_hypot_DTYPE(x, y).x;
}

TREADLE_FUNCTION TYPE treadle_log_DTYPE(TYPE a)
{
  return treadle_make_vector(TYPE)(treadle_log_hypot_DTYPE(a.x, a.y), atan2(a.y, a.x));
}

TREADLE_FUNCTION TYPE treadle_log2_DTYPE(TYPE a)
{
  return treadle_scale_DTYPE(treadle_log_DTYPE(a), 1.44269504088896340736);
}

TREADLE_FUNCTION TYPE treadle_log10_DTYPE(TYPE a)
{
  return treadle_scale_DTYPE(treadle_log_DTYPE(a), 0.43429448190325182765);
}

// log(1 + a), exact to the last digits near 0.
TREADLE_FUNCTION TYPE treadle_log1p_DTYPE(TYPE a)
{
  REAL x = 1 + a.x;
  REAL log_size = fabs(a.x) < 0.5 && fabs(a.y) < 0.5
      ? log1p(a.x * (2 + a.x) + a.y * a.y) * 0.5
      : treadle_log_hypot_DTYPE(x, a.y);
  return treadle_make_vector(TYPE)(log_size, atan2(a.y, x));
}

// e^(exponent log base). An error of the logarithm grows with the exponent: it is extended.
TREADLE_FUNCTION TYPE treadle_power_DTYPE(TYPE base, TYPE exponent)
{
  if (exponent.x == 0 && exponent.y == 0) return treadle_make_vector(TYPE)(1, 0);
  if (base.x == 0 && base.y == 0)
    return exponent.x > 0 ? treadle_make_vector(TYPE)(0, 0)
        : treadle_make_vector(TYPE)(TREADLE_NAN, TREADLE_NAN);
  bool whole = exponent.y == 0 && trunc(exponent.x) == exponent.x;
  if (whole && fabs(exponent.x) < 100) {
    TYPE power = treadle_whole_power_DTYPE(base, (int)fabs(exponent.x));
    REAL size = fmax(fabs(power.x), fabs(power.y));
    // Out of a number's range the logarithm knows the direction.
    if (size * size > 0 && isfinite(power.x) && isfinite(power.y))
      return exponent.x < 0 ? treadle_reciprocal_DTYPE(power) : power;
  }
  if (base.y == 0 && (whole || (exponent.y == 0 && base.x > 0)))
    return treadle_make_vector(TYPE)(pow(base.x, exponent.x), 0);
  if (isfinite(base.x) && isfinite(base.y)) {
    TYPE size = treadle_extended_log_hypot_DTYPE(base.x, base.y);
    TYPE angle = treadle_extended_angle_DTYPE(base);
    TYPE x = treadle_make_vector(TYPE)(exponent.x, 0), y = treadle_make_vector(TYPE)(exponent.y, 0);
    TYPE minus = treadle_make_vector(TYPE)(-exponent.y, 0);
    TYPE real = treadle_extended_products_DTYPE(x, size, minus, angle);
    TYPE imaginary = treadle_extended_products_DTYPE(x, angle, y, size);
    if (isfinite(real.y) && isfinite(imaginary.y)) {
      REAL cosine = cos(imaginary.x), sine = sin(imaginary.x);
      // The size may overflow where its product with a sine does not.
      REAL half_size = exp(real.x * 0.5);
      return treadle_make_vector(TYPE)(
          half_size * (cosine + (cosine * real.y - sine * imaginary.y)) * half_size,
          half_size * (sine + (sine * real.y + cosine * imaginary.y)) * half_size);
    }
  }
  return treadle_exp_DTYPE(treadle_multiply_DTYPE(exponent, treadle_log_DTYPE(base)));
}

TREADLE_FUNCTION TYPE treadle_sinh_DTYPE(TYPE a)
{
  REAL sine = sinh(a.x), cosine = cosh(a.x);
  if (a.y == 0) return treadle_make_vector(TYPE)(sine, a.y);
  if (a.x == 0) return treadle_make_vector(TYPE)(a.x * (isfinite(a.y) ? cos(a.y) : 1), sin(a.y));
  if (isinf(a.x) && !isfinite(a.y)) return treadle_make_vector(TYPE)(a.x, TREADLE_NAN);
  if (!isinf(cosine) || isinf(a.x))
    return treadle_make_vector(TYPE)(sine * cos(a.y), cosine * sin(a.y));
  REAL half_size = exp(fabs(a.x) * 0.5);
  return treadle_make_vector(TYPE)(copysign(half_size, a.x) * 0.5 * cos(a.y) * half_size,
      half_size * 0.5 * sin(a.y) * half_size);
}

TREADLE_FUNCTION TYPE treadle_cosh_DTYPE(TYPE a)
{
  REAL sine = sinh(a.x), cosine = cosh(a.x);
  if (a.y == 0) return treadle_make_vector(TYPE)(cosine, copysign((REAL)0, a.x) * a.y);
  if (a.x == 0) return treadle_make_vector(TYPE)(cos(a.y), a.x * (isfinite(a.y) ? sin(a.y) : 1));
  if (isinf(a.x) && !isfinite(a.y)) return treadle_make_vector(TYPE)(cosine, TREADLE_NAN);
  if (!isinf(cosine) || isinf(a.x))
    return treadle_make_vector(TYPE)(cosine * cos(a.y), sine * sin(a.y));
  REAL half_size = exp(fabs(a.x) * 0.5);
  return treadle_make_vector(TYPE)(half_size * 0.5 * cos(a.y) * half_size,
      copysign(half_size, a.x) * 0.5 * sin(a.y) * half_size);
}

// W. Kahan, "Branch cuts for complex elementary functions" (1987).
TREADLE_FUNCTION TYPE treadle_tanh_DTYPE(TYPE a)
{
  if (a.y == 0) return treadle_make_vector(TYPE)(tanh(a.x), a.y);
  if (a.x == 0) return treadle_make_vector(TYPE)(a.x, tan(a.y));
  // From here on the real part is 1 to the last digit.
  if (fabs(a.x) > 20 && (isfinite(a.y) || isinf(a.x))) {
    REAL small = exp(-fabs(a.x));
    REAL sine = isfinite(a.y) ? 2 * sin(a.y) * cos(a.y) : 0;
    return treadle_make_vector(TYPE)(copysign((REAL)1, a.x), 2 * sine * small * small);
  }
  REAL tangent = tan(a.y), sine = sinh(a.x);
  REAL slope = 1 + tangent * tangent;
  REAL cosine = sqrt(1 + sine * sine);
  if (isinf(slope)) return treadle_make_vector(TYPE)(cosine / sine, 1 / tangent);
  REAL divisor = 1 + slope * sine * sine;
  return treadle_make_vector(TYPE)(slope * cosine * sine / divisor, tangent / divisor);
}

TREADLE_FUNCTION TYPE treadle_sin_DTYPE(TYPE a)
{
  return treadle_over_i_DTYPE(treadle_sinh_DTYPE(treadle_times_i_DTYPE(a)));
}

TREADLE_FUNCTION TYPE treadle_cos_DTYPE(TYPE a)
{
  return treadle_cosh_DTYPE(treadle_times_i_DTYPE(a));
}

TREADLE_FUNCTION TYPE treadle_tan_DTYPE(TYPE a)
{
  return treadle_over_i_DTYPE(treadle_tanh_DTYPE(treadle_times_i_DTYPE(a)));
}
