// SPDX-License-Identifier: MIT
// Unsigned integers; elements.h says how this is read.

TREADLE_FUNCTION TYPE treadle_floor_divide_DTYPE(TYPE a, TYPE b)
{
  return b == 0 ? 0 : (TYPE)(a / b);
}

TREADLE_FUNCTION TYPE treadle_remainder_DTYPE(TYPE a, TYPE b)
{
  return b == 0 ? 0 : (TYPE)(a % b);
}

TREADLE_FUNCTION TYPE treadle_fmod_DTYPE(TYPE a, TYPE b)
{
  return b == 0 ? 0 : (TYPE)(a % b);
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
