// SPDX-License-Identifier: MIT
// Unsigned integers; elements.h says how this is read.

// a / b; b is above 1. signed_integers.h says why there are floats.
TREADLE_FUNCTION TYPE treadle_quotient_DTYPE(TYPE a, TYPE b)
{
#if !TREADLE_ON_PROCESSOR
  return (TYPE)(a / b);
#elif WIDTH == 8
  // The product's error is below a * b / 65536 of what the next integer is away.
  return (TYPE)((UINT32)a * ((UINT32)(65536.0f / (float)b) + 1) >> 16);
#elif WIDTH == 16
  INT32 quotient = treadle_as_int((float)a * (1.0f / (float)b) + 12582912.0f) - 0x4b400000;
  return (TYPE)(quotient - (a < quotient * b));
#elif WIDTH == 32
  UINT32 quotient = (UINT32)treadle_as_uint64((double)a * (1.0 / (double)b) + 6755399441055744.0);
  return quotient - ((INT32)(a - quotient * b) < 0);
#else
  // Of a divisor in the upper half the quotient is 0 or 1; of others the rest has a sign.
  UINT64 low = b >> 63 != 0 ? 2 : b;
  double inverse = 1.0 / (double)low;
  UINT64 quotient = (UINT64)((double)a * inverse);
  INT64 rest = (INT64)(a - quotient * low);
  INT64 more = (INT64)((double)rest * inverse);
  quotient += (UINT64)more;
  rest -= more * (INT64)low;
  INT64 less = rest < 0;
  quotient -= (UINT64)less;
  rest += less != 0 ? (INT64)low : 0;
  less = rest < 0;
  quotient -= (UINT64)less;
  rest += less != 0 ? (INT64)low : 0;
  quotient += (UINT64)(rest >= (INT64)low);
  return b >> 63 != 0 ? (UINT64)(a >= b) : quotient;
#endif
}

TREADLE_FUNCTION TYPE treadle_floor_divide_DTYPE(TYPE a, TYPE b)
{
  TYPE quotient = treadle_quotient_DTYPE(a, (TYPE)(b > 1 ? b : 2));
  return (TYPE)(b > 1 ? quotient : (TYPE)((UNSIGNED)a * b));
}

TREADLE_FUNCTION TYPE treadle_remainder_DTYPE(TYPE a, TYPE b)
{
  TYPE divisor = (TYPE)(b > 1 ? b : 2);
  TYPE quotient = treadle_quotient_DTYPE(a, divisor);
  return (TYPE)(b > 1 ? (UNSIGNED)a - (UNSIGNED)quotient * (UNSIGNED)divisor : 0);
}

TREADLE_FUNCTION TYPE treadle_fmod_DTYPE(TYPE a, TYPE b)
{
  return treadle_remainder_DTYPE(a, b);
}

// By squaring: a factor for each bit of the exponent that is set.
TREADLE_FUNCTION TYPE treadle_power_DTYPE(TYPE base, TYPE exponent)
{
  UNSIGNED product = 1;
  UNSIGNED factor = base;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) product *= factor;
    factor *= factor;
  }
  return (TYPE)product;
}

TREADLE_FUNCTION TYPE treadle_reciprocal_DTYPE(TYPE a)
{
  return a == 1;
}

TREADLE_FUNCTION TYPE treadle_absolute_DTYPE(TYPE a)
{
  return a;
}

TREADLE_FUNCTION TYPE treadle_sign_DTYPE(TYPE a)
{
  return a > 0;
}

TREADLE_FUNCTION TYPE treadle_right_shift_DTYPE(TYPE a, TYPE count)
{
  return count < WIDTH ? (TYPE)(a >> count) : 0;
}

TREADLE_FUNCTION UINT32 treadle_bitwise_count_DTYPE(TYPE a)
{
  UINT64 bits = a;
  return treadle_popcount((UINT32)bits) + treadle_popcount((UINT32)(bits >> 32));
}

// Euclid's algorithm.
TREADLE_FUNCTION TYPE treadle_gcd_DTYPE(TYPE a, TYPE b)
{
  while (b != 0) {
    TYPE rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

TREADLE_FUNCTION TYPE treadle_lcm_DTYPE(TYPE a, TYPE b)
{
  TYPE divisor = treadle_gcd_DTYPE(a, b);
  return divisor == 0 ? 0 : (TYPE)((UNSIGNED)(a / divisor) * b);
}
