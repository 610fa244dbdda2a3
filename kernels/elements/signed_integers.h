// SPDX-License-Identifier: MIT
// Signed integers; elements.h says how this is read. Processors trap on a division by zero and on
// the smallest number divided by -1: here the first gives 0, the second the smallest number.

// Rounded towards minus infinity.
TREADLE_FUNCTION TYPE treadle_floor_divide_DTYPE(TYPE a, TYPE b)
{
  if (b == 0) return 0;
  if (b == -1) return (TYPE)(0 - (UNSIGNED)a);
  TYPE rest = (TYPE)(a % b);
  return (TYPE)(a / b - (rest != 0 && (rest < 0) != (b < 0)));
}

// With the sign of b.
TREADLE_FUNCTION TYPE treadle_remainder_DTYPE(TYPE a, TYPE b)
{
  if (b == 0 || b == -1) return 0;
  TYPE rest = (TYPE)(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? (TYPE)(rest + b) : rest;
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
