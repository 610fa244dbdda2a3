// SPDX-License-Identifier: MIT
// Numbers in twice the precision, for powers and logarithms of complex numbers: a TYPE is here the sum of
// its parts, of which y is what x lacks; elements.h says how this is read. Sums are D. E. Knuth's, products
// T. J. Dekker's (A floating-point technique for extending the available precision, 1971). A compiler may
// contract a product and a sum into one operation: the rest is then that of the contracted sum.

TREADLE_FUNCTION TYPE treadle_extended_sum_DTYPE(REAL a, REAL b, REAL rest)
{
  REAL sum = a + b, back = sum - a;
  REAL left = (a - (sum - back)) + (b - back) + rest;
  REAL whole = sum + left;
  return treadle_make_vector(TYPE)(whole, left - (whole - sum));
}

TREADLE_FUNCTION TYPE treadle_extended_add_DTYPE(TYPE a, TYPE b)
{
  return treadle_extended_sum_DTYPE(a.x, b.x, a.y + b.y);
}

// a b + c d
TREADLE_FUNCTION TYPE treadle_extended_products_DTYPE(TYPE a, TYPE b, TYPE c, TYPE d)
{
  REAL first = a.x * b.x, second = c.x * d.x;
  REAL rest = fma(a.x, b.x, -first) + fma(c.x, d.x, -second);
  return treadle_extended_sum_DTYPE(
      first, second, rest + ((a.x * b.y + a.y * b.x) + (c.x * d.y + c.y * d.x)));
}

TREADLE_FUNCTION TYPE treadle_extended_quotient_DTYPE(TYPE a, TYPE b)
{
  REAL quotient = a.x / b.x;
  REAL rest = fma(-quotient, b.x, a.x) + (a.y - quotient * b.y);
  return treadle_extended_sum_DTYPE(quotient, 0, rest / b.x);
}

// a (1 + square / 3 + square^2 / 5 ...): the inverse hyperbolic tangent where `square` is a^2, the arc
// tangent where it is -a^2 (DLMF 4.6.4, 4.24.3); of |square| <= 1 / 16. What is rounded is far below a.
TREADLE_FUNCTION TYPE treadle_extended_inverse_tangent_DTYPE(TYPE a, TYPE square)
{
  TYPE one = treadle_make_vector(TYPE)(1, 0), zero = treadle_make_vector(TYPE)(0, 0);
  REAL series = 0;
  for (int k = 29; k > 3; k -= 2) series = square.x * (series + (REAL)1 / k);
  TYPE third = treadle_extended_quotient_DTYPE(one, treadle_make_vector(TYPE)(3, 0));
  TYPE rest = treadle_extended_products_DTYPE(
      square, treadle_extended_sum_DTYPE(third.x, series, third.y), zero, zero);
  return treadle_extended_products_DTYPE(a, one, a, rest);
}

// log(sqrt(x * x + y * y)) of numbers that are finite and not both 0: by powers of two to near 1, and there
// log m = 2 artanh((m - 1) / (m + 1)).
TREADLE_FUNCTION TYPE treadle_extended_log_hypot_DTYPE(REAL x, REAL y)
{
  REAL larger = fmax(fabs(x), fabs(y)), smaller = fmin(fabs(x), fabs(y));
  int power = ilogb(larger);
  TYPE a = treadle_make_vector(TYPE)(ldexp(larger, -power), 0);
  TYPE b = treadle_make_vector(TYPE)(ldexp(smaller, -power), 0);
  TYPE square = treadle_extended_products_DTYPE(a, a, b, b);
  power = 2 * power + ilogb(square.x);
  REAL scale = ldexp((REAL)1, -ilogb(square.x));
  if (square.x * scale > 1.41) {
    scale = scale * 0.5;
    ++power;
  }
  square = treadle_scale_DTYPE(square, scale);
  TYPE quotient = treadle_extended_quotient_DTYPE(treadle_extended_sum_DTYPE(square.x, -1, square.y),
      treadle_extended_sum_DTYPE(square.x, 1, square.y));
  TYPE zero = treadle_make_vector(TYPE)(0, 0);
  TYPE factor = treadle_extended_products_DTYPE(quotient, quotient, zero, zero);
  // half the logarithm of 2 in three pieces that are exact in single precision, too
  REAL turns = power;
  REAL piece = turns * -9.523271060629668e-10;
  TYPE whole = treadle_extended_sum_DTYPE(turns * 0.3465735912322998, piece,
      fma(turns, -9.523271060629668e-10, -piece) + turns * -4.39159186929467e-17);
  REAL rest = fma(turns, 0.3465735912322998, -(turns * 0.3465735912322998));
  return treadle_extended_add_DTYPE(
      treadle_make_vector(TYPE)(whole.x, whole.y + rest),
      treadle_extended_inverse_tangent_DTYPE(quotient, factor));
}

// The angle of a number that is finite and not 0: that from its axis or bisector or from 2 + i, and that one's.
TREADLE_FUNCTION TYPE treadle_extended_angle_DTYPE(TYPE z)
{
  REAL larger = fmax(fabs(z.x), fabs(z.y)), smaller = fmin(fabs(z.x), fabs(z.y));
  int power = -ilogb(larger);
  larger = ldexp(larger, power);
  smaller = ldexp(smaller, power);
  REAL slope = smaller < 0.25 * larger ? 0 : smaller < 0.75 * larger ? 0.5 : 1;
  TYPE quotient = treadle_extended_quotient_DTYPE(treadle_extended_sum_DTYPE(smaller, -slope * larger, 0),
      treadle_extended_sum_DTYPE(larger, slope * smaller, 0));
  TYPE zero = treadle_make_vector(TYPE)(0, 0);
  TYPE factor = treadle_extended_products_DTYPE(quotient, treadle_scale_DTYPE(quotient, -1), zero, zero);
  TYPE angle = treadle_extended_inverse_tangent_DTYPE(quotient, factor);
  if (slope == 1)
    angle = treadle_extended_add_DTYPE(
        treadle_extended_sum_DTYPE(0.7853981852531433, -2.1855694143368964e-08, -8.575622550029409e-16), angle);
  else if (slope != 0)
    angle = treadle_extended_add_DTYPE(
        treadle_extended_sum_DTYPE(0.46364760398864746, 5.01215868808913e-09, -3.281237223690444e-17), angle);
  if (fabs(z.y) > fabs(z.x))
    angle = treadle_extended_add_DTYPE(
        treadle_extended_sum_DTYPE(1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
        treadle_scale_DTYPE(angle, -1));
  if (z.x < 0)
    angle = treadle_extended_add_DTYPE(
        treadle_extended_sum_DTYPE(3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15),
        treadle_scale_DTYPE(angle, -1));
  return treadle_scale_DTYPE(angle, copysign((REAL)1, z.y));
}

// A whole power of a number, 0 < exponent, by products: exact where they are. From the fifth on they are
// extended, for rounding errors would grow with the exponent.
TREADLE_FUNCTION TYPE treadle_whole_power_DTYPE(TYPE base, int exponent)
{
  if (exponent <= 4) {
    TYPE power = base;
    for (int k = 1; k < exponent; ++k) power = treadle_multiply_DTYPE(power, base);
    return power;
  }
  TYPE x = treadle_make_vector(TYPE)(base.x, 0), y = treadle_make_vector(TYPE)(base.y, 0);
  TYPE real = treadle_make_vector(TYPE)(1, 0), imaginary = treadle_make_vector(TYPE)(0, 0);
  for (int left = exponent; left != 0; left >>= 1) {
    TYPE minus = treadle_scale_DTYPE(y, -1);
    if (left & 1) {
      TYPE product = treadle_extended_products_DTYPE(real, x, imaginary, minus);
      imaginary = treadle_extended_products_DTYPE(real, y, imaginary, x);
      real = product;
    }
    if (left > 1) {
      TYPE square = treadle_extended_products_DTYPE(x, x, y, minus);
      y = treadle_extended_products_DTYPE(x, y, y, x);
      x = square;
    }
  }
  return treadle_make_vector(TYPE)(real.x, imaginary.x);
}
