// SPDX-License-Identifier: MIT
// Numbers of 16 bits, held in a float; elements.h says how this is read.

TREADLE_FUNCTION float treadle_double_to_float16(double a)
{
  float near = (float)a;
  double back = near;
  // Rounding twice may end one off where the first step was inexact and ends halfway between two
  // halves. An odd last bit is never halfway.
  if (back != a && !isnan(a)) {
    UINT32 bits = treadle_as_uint(near);
    near = treadle_as_float((bits - (fabs(back) > fabs(a))) | 1);
  }
  return treadle_round_half(near);
}

TREADLE_FUNCTION float treadle_nextafter_float16(float a, float b)
{
  if (isnan(a) || isnan(b)) return a + b;
  if (a == b) return b;
  UINT32 bits = treadle_float_to_half(a);
  if (a == 0)
    bits = b < 0 ? 0x8001 : 1;
  else if ((a < b) == (a > 0))
    bits = bits + 1;
  else
    bits = bits - 1;
  return treadle_half_to_float((unsigned short)bits);
}
