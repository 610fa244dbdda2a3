// SPDX-License-Identifier: MIT
// Signed integers; elements.h says how this is read. Processors trap on a division by zero and on
// the smallest number divided by -1: here the first gives 0, the second the smallest number.

// a / b, rounded towards minus infinity; b is not 0, 1 or -1. Processors have no division of
// vectors of integers, but one of floats: the whole number next to the quotient is in the last bits
// of its sum with 1.5 * 2^23 (2^52), and is right or one too large, as the rest tells. Of 64 bits
// two quotients are needed, of the number and of what the first leaves.
TREADLE_FUNCTION TYPE treadle_quotient_DTYPE(TYPE a, TYPE b)
{
#if !TREADLE_ON_PROCESSOR
  TYPE rest = (TYPE)(a % b);
  return (TYPE)(a / b - (rest != 0 && (rest < 0) != (b < 0)));
#elif WIDTH < 32
  INT32 quotient = treadle_as_int((float)a * (1.0f / (float)b) + 12582912.0f) - 0x4b400000;
  INT32 rest = a - quotient * b;
  return (TYPE)(quotient - ((rest != 0) & ((rest < 0) != (b < 0))));
#elif WIDTH == 32
  INT32 quotient = (INT32)treadle_as_uint64((double)a * (1.0 / (double)b) + 6755399441055744.0);
  INT32 rest = (INT32)((UINT32)a - (UINT32)quotient * (UINT32)b);
  return quotient - ((rest != 0) & ((rest < 0) != (b < 0)));
#else
  double inverse = 1.0 / (double)b;
  UINT64 quotient = (UINT64)(INT64)((double)a * inverse);
  INT64 rest = (INT64)((UINT64)a - quotient * (UINT64)b);
  INT64 more = (INT64)((double)rest * inverse);
  quotient += (UINT64)more;
  rest = (INT64)((UINT64)rest - (UINT64)more * (UINT64)b);
  // Twice, for what was cut may have been rounded down to a number that is whole.
  INT64 less = (rest != 0) & ((rest < 0) != (b < 0));
  quotient -= (UINT64)less;
  rest += less != 0 ? b : 0;
  less = (rest != 0) & ((rest < 0) != (b < 0));
  quotient -= (UINT64)less;
  rest += less != 0 ? b : 0;
  return (INT64)(quotient + (b < 0 ? rest <= b : rest >= b));
#endif
}

// Rounded towards minus infinity.
TREADLE_FUNCTION TYPE treadle_floor_divide_DTYPE(TYPE a, TYPE b)
{
  int is_plain = b < -1 || b > 1;
  TYPE quotient = treadle_quotient_DTYPE(a, (TYPE)(is_plain ? b : 2));
  // By 1 and -1 it is the product, too; by 0 it shall be 0.
  return is_plain ? quotient : (TYPE)((UNSIGNED)a * (UNSIGNED)b);
}

// With the sign of b.
TREADLE_FUNCTION TYPE treadle_remainder_DTYPE(TYPE a, TYPE b)
{
  int is_plain = b < -1 || b > 1;
  TYPE divisor = (TYPE)(is_plain ? b : 2);
  TYPE quotient = treadle_quotient_DTYPE(a, divisor);
  return is_plain ? (TYPE)((UNSIGNED)a - (UNSIGNED)quotient * (UNSIGNED)divisor) : 0;
}

// With the sign of a.
TREADLE_FUNCTION TYPE treadle_fmod_DTYPE(TYPE a, TYPE b)
{
  return b == 0 || b == -1 ? 0 : (TYPE)(a % b);
}

TREADLE_FUNCTION TYPE treadle_power_DTYPE(TYPE base, TYPE exponent)
{
  return exponent < 0 ? 0 : (TYPE)treadle_power_UNSIGNED((UNSIGNED)base, (UNSIGNED)exponent);
}

TREADLE_FUNCTION TYPE treadle_reciprocal_DTYPE(TYPE a)
{
  return a == 1 || a == -1 ? a : 0;
}

TREADLE_FUNCTION TYPE treadle_absolute_DTYPE(TYPE a)
{
  return a < 0 ? (TYPE)(0 - (UNSIGNED)a) : a;
}

TREADLE_FUNCTION TYPE treadle_sign_DTYPE(TYPE a)
{
  return (TYPE)((a > 0) - (a < 0));
}

TREADLE_FUNCTION TYPE treadle_right_shift_DTYPE(TYPE a, TYPE count)
{
  if ((UNSIGNED)count < WIDTH) return (TYPE)(a >> count);
  return a < 0 ? -1 : 0;
}

TREADLE_FUNCTION UINT32 treadle_bitwise_count_DTYPE(TYPE a)
{
  return treadle_bitwise_count_UNSIGNED(a < 0 ? 0 - (UNSIGNED)a : (UNSIGNED)a);
}

TREADLE_FUNCTION TYPE treadle_gcd_DTYPE(TYPE a, TYPE b)
{
  return (TYPE)treadle_gcd_UNSIGNED(a < 0 ? 0 - (UNSIGNED)a : (UNSIGNED)a,
      b < 0 ? 0 - (UNSIGNED)b : (UNSIGNED)b);
}

TREADLE_FUNCTION TYPE treadle_lcm_DTYPE(TYPE a, TYPE b)
{
  return (TYPE)treadle_lcm_UNSIGNED(a < 0 ? 0 - (UNSIGNED)a : (UNSIGNED)a,
      b < 0 ? 0 - (UNSIGNED)b : (UNSIGNED)b);
}
