// SPDX-License-Identifier: MIT
// Inverse trigonometric and hyperbolic functions of complex numbers; elements.h says how this is
// read. The formulas are those of W. Kahan, "Branch cuts for complex elementary functions" (1987),
// which give each side of a branch cut its sign. A number with an infinite part is a direction.

// The angle of the direction of a number with an infinite part, without signs: 0 to pi/2.
TREADLE_FUNCTION REAL treadle_direction_DTYPE(TYPE a)
{
  if (isnan(a.x) || isnan(a.y)) return TREADLE_NAN;
  return atan2((REAL)(isinf(a.y) != 0), (REAL)(isinf(a.x) != 0));
}

TREADLE_FUNCTION TYPE treadle_arcsin_DTYPE(TYPE a)
{
  if (a.x == 0) return treadle_make_vector(TYPE)(a.x, asinh(a.y));
  if (isinf(a.x) || isinf(a.y))
    return treadle_make_vector(TYPE)(
        copysign(1.57079632679489661923 - treadle_direction_DTYPE(a), a.x),
        copysign((REAL)TREADLE_INFINITY, a.y));
  TYPE above = treadle_sqrt_DTYPE(treadle_make_vector(TYPE)(1 + a.x, a.y));
  TYPE below = treadle_sqrt_DTYPE(treadle_make_vector(TYPE)(1 - a.x, -a.y));
  return treadle_make_vector(TYPE)(atan2(a.x, above.x * below.x - above.y * below.y),
      asinh(below.x * above.y - below.y * above.x));
}

TREADLE_FUNCTION TYPE treadle_arccos_DTYPE(TYPE a)
{
  if (a.x == 0) return treadle_make_vector(TYPE)(1.57079632679489661923, -asinh(a.y));
  if (isinf(a.x) || isinf(a.y)) {
    REAL angle = treadle_direction_DTYPE(a);
    return treadle_make_vector(TYPE)(a.x < 0 ? 3.14159265358979323846 - angle : angle,
        copysign((REAL)TREADLE_INFINITY, -a.y));
  }
  TYPE above = treadle_sqrt_DTYPE(treadle_make_vector(TYPE)(1 + a.x, a.y));
  TYPE below = treadle_sqrt_DTYPE(treadle_make_vector(TYPE)(1 - a.x, -a.y));
  return treadle_make_vector(TYPE)(2 * atan2(below.x, above.x),
      asinh(above.x * below.y - above.y * below.x));
}

TREADLE_FUNCTION TYPE treadle_arccosh_DTYPE(TYPE a)
{
  if (a.x == 0)
    return treadle_make_vector(TYPE)(asinh(fabs(a.y)), copysign(1.57079632679489661923, a.y));
  if (isinf(a.x) || isinf(a.y)) {
    REAL angle = treadle_direction_DTYPE(a);
    return treadle_make_vector(TYPE)(
        TREADLE_INFINITY, copysign(a.x < 0 ? 3.14159265358979323846 - angle : angle, a.y));
  }
  TYPE above = treadle_sqrt_DTYPE(treadle_make_vector(TYPE)(a.x + 1, a.y));
  TYPE below = treadle_sqrt_DTYPE(treadle_make_vector(TYPE)(a.x - 1, a.y));
  return treadle_make_vector(TYPE)(asinh(below.x * above.x + below.y * above.y),
      2 * atan2(below.y, above.x));
}

TREADLE_FUNCTION TYPE treadle_arctanh_DTYPE(TYPE a)
{
  if (a.x == 0) return treadle_make_vector(TYPE)(a.x, atan(a.y));
  REAL x = fabs(a.x), y = fabs(a.y);
  // Far out only 1 / a is left, and the squares below would overflow.
  if (x > 1.0e15 || y > 1.0e15) {
    REAL size = hypot(x * 0.5, y * 0.5) * 2;
    REAL real = isinf(x) || isinf(y) ? 0 : x / size / size;
    REAL angle = isnan(a.y) ? a.y : copysign(1.57079632679489661923, a.y);
    return treadle_make_vector(TYPE)(copysign(real, a.x), angle);
  }
  REAL away = 1 - x;
  if (away == 0 && y == 0) return treadle_make_vector(TYPE)(copysign((REAL)TREADLE_INFINITY, a.x), a.y);
  REAL real = log1p(4 * x / (away * away + y * y)) * 0.25;
  REAL angle = atan2(2 * y, away * (1 + x) - y * y) * 0.5;
  return treadle_make_vector(TYPE)(copysign(real, a.x), copysign(angle, a.y));
}

TREADLE_FUNCTION TYPE treadle_arcsinh_DTYPE(TYPE a)
{
  return treadle_over_i_DTYPE(treadle_arcsin_DTYPE(treadle_times_i_DTYPE(a)));
}

TREADLE_FUNCTION TYPE treadle_arctan_DTYPE(TYPE a)
{
  return treadle_over_i_DTYPE(treadle_arctanh_DTYPE(treadle_times_i_DTYPE(a)));
}
