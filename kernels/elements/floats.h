// SPDX-License-Identifier: MIT
// float32 and float64; elements.h says how this is read.

// The largest whole number that is not above a / b.
TREADLE_FUNCTION TYPE treadle_floor_divide_DTYPE(TYPE a, TYPE b)
{
  if (b == 0) return a / b;
  TYPE rest = fmod(a, b);
  // The quotient of what is left is a whole number, but for rounding.
  TYPE quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return copysign(quotient, a / b);
  TYPE whole = floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// With the sign of b.
TREADLE_FUNCTION TYPE treadle_remainder_DTYPE(TYPE a, TYPE b)
{
  TYPE rest = fmod(a, b);
  if (rest == 0) return copysign(rest, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

// NaN if either is.
TREADLE_FUNCTION TYPE treadle_minimum_DTYPE(TYPE a, TYPE b)
{
  return a < b || isnan(a) ? a : b;
}

// NaN if either is.
TREADLE_FUNCTION TYPE treadle_maximum_DTYPE(TYPE a, TYPE b)
{
  return a > b || isnan(a) ? a : b;
}

TREADLE_FUNCTION TYPE treadle_sign_DTYPE(TYPE a)
{
  return isnan(a) ? a : (TYPE)((a > 0) - (a < 0));
}

// b where the step is, at zero.
TREADLE_FUNCTION TYPE treadle_heaviside_DTYPE(TYPE a, TYPE b)
{
  if (isnan(a)) return a;
  return a == 0 ? b : (TYPE)(a > 0);
}

// log(exp(a) + exp(b)), without their overflow.
TREADLE_FUNCTION TYPE treadle_logaddexp_DTYPE(TYPE a, TYPE b)
{
  if (a == b) return a + 0.69314718055994530942;
  TYPE difference = a - b;
  if (isnan(difference)) return difference;
  return fmax(a, b) + log1p(exp(-fabs(difference)));
}

// log2(exp2(a) + exp2(b)), without their overflow.
TREADLE_FUNCTION TYPE treadle_logaddexp2_DTYPE(TYPE a, TYPE b)
{
  if (a == b) return a + 1;
  TYPE difference = a - b;
  if (isnan(difference)) return difference;
  return fmax(a, b) + log1p(exp2(-fabs(difference))) * 1.44269504088896340736;
}

TREADLE_FUNCTION TYPE treadle_frexp_mantissa_DTYPE(TYPE a)
{
  int exponent;
  return isfinite(a) ? frexp(a, &exponent) : a;
}

TREADLE_FUNCTION INT32 treadle_frexp_exponent_DTYPE(TYPE a)
{
  int exponent = 0;
  if (isfinite(a)) frexp(a, &exponent);
  return exponent;
}

// What trunc() cuts off, with the sign of a.
TREADLE_FUNCTION TYPE treadle_modf_fraction_DTYPE(TYPE a)
{
  return copysign(isinf(a) ? 0 : a - trunc(a), a);
}

// Conversions to integers: towards zero, to the nearest there is, NaN to 0. C leaves undefined what
// a number outside the integer's range gives.
TREADLE_FUNCTION INT32 treadle_DTYPE_to_int32(TYPE a)
{
  if (isnan(a)) return 0;
  if (a < -2147483648.0) return -2147483647 - 1;
  return a < 2147483648.0 ? (INT32)a : 2147483647;
}

TREADLE_FUNCTION UINT32 treadle_DTYPE_to_uint32(TYPE a)
{
  if (isnan(a) || a < 0) return 0;
  return a < 4294967296.0 ? (UINT32)a : 4294967295;
}

TREADLE_FUNCTION INT64 treadle_DTYPE_to_int64(TYPE a)
{
  if (isnan(a)) return 0;
  if (a < -9223372036854775808.0) return -9223372036854775807 - 1;
  return a < 9223372036854775808.0 ? (INT64)a : 9223372036854775807;
}

TREADLE_FUNCTION UINT64 treadle_DTYPE_to_uint64(TYPE a)
{
  if (isnan(a) || a < 0) return 0;
  return a < 18446744073709551616.0 ? (UINT64)a : treadle_uint64_literal(18446744073709551615);
}

// What rounding left out of sum = a + b, exactly (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
TREADLE_FUNCTION TYPE treadle_left_out_DTYPE(TYPE a, TYPE b, TYPE sum)
{
  TYPE of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

// A sum with what was left out of it, which is no number where the sum is none or has overflowed.
TREADLE_FUNCTION TYPE treadle_settled_DTYPE(TYPE sum, TYPE left_out)
{
  return left_out - left_out == 0 ? sum + left_out : sum;
}
