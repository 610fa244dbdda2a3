// SPDX-License-Identifier: MIT
// Arithmetic and order of complex numbers: OpenCL C has no operators for them. elements.h says how
// this is read.

// PoCL's compiler computes loops over vectors of two for one element at a time.
TREADLE_FUNCTION TYPE treadle_read_DTYPE(const TREADLE_GLOBAL TYPE *place)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
  const TREADLE_GLOBAL REAL *parts = (const TREADLE_GLOBAL REAL *)place;
  return treadle_make_vector(TYPE)(parts[0], parts[1]);
#else
  return *place;
#endif
}

// The same of what is stored.
TREADLE_FUNCTION void treadle_write_DTYPE(TREADLE_GLOBAL TYPE *place, TYPE value)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
  TREADLE_GLOBAL REAL *parts = (TREADLE_GLOBAL REAL *)place;
  parts[0] = value.x;
  parts[1] = value.y;
#else
  *place = value;
#endif
}

TREADLE_FUNCTION TYPE treadle_add_DTYPE(TYPE a, TYPE b)
{
  return treadle_make_vector(TYPE)(a.x + b.x, a.y + b.y);
}

TREADLE_FUNCTION TYPE treadle_subtract_DTYPE(TYPE a, TYPE b)
{
  return treadle_make_vector(TYPE)(a.x - b.x, a.y - b.y);
}

TREADLE_FUNCTION TYPE treadle_multiply_DTYPE(TYPE a, TYPE b)
{
  return treadle_make_vector(TYPE)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// R. L. Smith's algorithm (1962): the divisor's smaller part in units of the larger, so that no square
// overflows.
TREADLE_FUNCTION TYPE treadle_near_quotient_DTYPE(TYPE a, TYPE b)
{
  if (fabs(b.x) >= fabs(b.y)) {
    if (b.x == 0) return treadle_make_vector(TYPE)(a.x / fabs(b.x), a.y / fabs(b.x));
    REAL ratio = b.y / b.x;
    REAL scale = 1 / (b.x + b.y * ratio);
    return treadle_make_vector(TYPE)((a.x + a.y * ratio) * scale, (a.y - a.x * ratio) * scale);
  }
  REAL ratio = b.x / b.y;
  REAL scale = 1 / (b.y + b.x * ratio);
  return treadle_make_vector(TYPE)((a.x * ratio + a.y) * scale, (a.y * ratio - a.x) * scale);
}

// Numbers that are very large or small are brought near 1 first: there neither the divisor's inverse nor
// the sums overflow or vanish where the quotient does not.
TREADLE_FUNCTION TYPE treadle_divide_DTYPE(TYPE a, TYPE b)
{
  REAL size = fmax(fabs(a.x), fabs(a.y)), divisor = fmax(fabs(b.x), fabs(b.y));
  if ((size < 1.0e18 && divisor > 1.0e-18 && divisor < 1.0e18) || !(isfinite(size) && divisor > 0) ||
      isinf(divisor))
    return treadle_near_quotient_DTYPE(a, b);
  int up = size > 0 ? ilogb(size) : 0, down = ilogb(divisor);
  TYPE near = treadle_near_quotient_DTYPE(
      treadle_make_vector(TYPE)(ldexp(a.x, -up), ldexp(a.y, -up)),
      treadle_make_vector(TYPE)(ldexp(b.x, -down), ldexp(b.y, -down)));
  return treadle_make_vector(TYPE)(ldexp(near.x, up - down), ldexp(near.y, up - down));
}

TREADLE_FUNCTION TYPE treadle_negative_DTYPE(TYPE a)
{
  return treadle_make_vector(TYPE)(-a.x, -a.y);
}

TREADLE_FUNCTION TYPE treadle_conjugate_DTYPE(TYPE a)
{
  return treadle_make_vector(TYPE)(a.x, -a.y);
}

TREADLE_FUNCTION TYPE treadle_square_DTYPE(TYPE a)
{
  return treadle_make_vector(TYPE)(a.x * a.x - a.y * a.y, a.x * a.y + a.y * a.x);
}

TREADLE_FUNCTION TYPE treadle_reciprocal_DTYPE(TYPE a)
{
  if (a.x == 0 && a.y == 0) return treadle_make_vector(TYPE)(TREADLE_NAN, TREADLE_NAN);
  return treadle_divide_DTYPE(treadle_make_vector(TYPE)(1, 0), a);
}

// a / |a|, and 0 for 0. Of numbers with an infinite part the direction, NaN where it is unknown.
TREADLE_FUNCTION TYPE treadle_sign_DTYPE(TYPE a)
{
  REAL size = hypot(a.x, a.y);
  if (size == 0) return treadle_make_vector(TYPE)(0, 0);
  if (isinf(a.x) && isinf(a.y)) return treadle_make_vector(TYPE)(TREADLE_NAN, TREADLE_NAN);
  if (isinf(a.x)) return treadle_make_vector(TYPE)(copysign((REAL)1, a.x), 0);
  if (isinf(a.y)) return treadle_make_vector(TYPE)(0, copysign((REAL)1, a.y));
  if (isinf(size)) {
    a = treadle_make_vector(TYPE)(a.x * 0.5, a.y * 0.5);
    size = hypot(a.x, a.y);
  }
  return treadle_make_vector(TYPE)(a.x / size, a.y / size);
}

// Ordered by the real parts, then by the imaginary ones.
TREADLE_FUNCTION bool treadle_less_DTYPE(TYPE a, TYPE b)
{
  return (a.x < b.x && !isnan(a.y) && !isnan(b.y)) || (a.x == b.x && a.y < b.y);
}

TREADLE_FUNCTION bool treadle_less_equal_DTYPE(TYPE a, TYPE b)
{
  return (a.x < b.x && !isnan(a.y) && !isnan(b.y)) || (a.x == b.x && a.y <= b.y);
}

// The first with a NaN in it, if one has.
TREADLE_FUNCTION TYPE treadle_minimum_DTYPE(TYPE a, TYPE b)
{
  return isnan(a.x) || isnan(a.y) || treadle_less_equal_DTYPE(a, b) ? a : b;
}

// The first with a NaN in it, if one has.
TREADLE_FUNCTION TYPE treadle_maximum_DTYPE(TYPE a, TYPE b)
{
  return isnan(a.x) || isnan(a.y) || treadle_less_equal_DTYPE(b, a) ? a : b;
}

// The other one, if one has a NaN in it.
TREADLE_FUNCTION TYPE treadle_fmin_DTYPE(TYPE a, TYPE b)
{
  return isnan(b.x) || isnan(b.y) || treadle_less_equal_DTYPE(a, b) ? a : b;
}

// The other one, if one has a NaN in it.
TREADLE_FUNCTION TYPE treadle_fmax_DTYPE(TYPE a, TYPE b)
{
  return isnan(b.x) || isnan(b.y) || treadle_less_equal_DTYPE(b, a) ? a : b;
}

// What rounding left out of sum = a + b, exactly.
TREADLE_FUNCTION TYPE treadle_left_out_DTYPE(TYPE a, TYPE b, TYPE sum)
{
  return treadle_make_vector(TYPE)(treadle_left_out_REAL(a.x, b.x, sum.x),
                                   treadle_left_out_REAL(a.y, b.y, sum.y));
}

TREADLE_FUNCTION TYPE treadle_settled_DTYPE(TYPE sum, TYPE left_out)
{
  return treadle_make_vector(TYPE)(treadle_settled_REAL(sum.x, left_out.x),
                                   treadle_settled_REAL(sum.y, left_out.y));
}
