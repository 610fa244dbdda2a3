// SPDX-License-Identifier: MIT
// Arithmetic of numbers that are the sum of two doubles, .x and the rest .y, some 32 digits (T. J. Dekker: A
// floating-point technique for extending the available precision. Numerische Mathematik 18 (1971) 224).
//
// Products and sums must not be contracted here: the rests are what rounding took away.
#pragma once

static inline double2 treadle_sum_of_two(double a, double b, double rest) {
#pragma OPENCL FP_CONTRACT OFF
  const double sum = a + b, back = sum - a;
  rest += (a - (sum - back)) + (b - back);
  const double whole = sum + rest;
  return (double2)(whole, rest - (whole - sum));
}

static inline double2 treadle_sum_of_pairs(double2 a, double2 b) {
  return treadle_sum_of_two(a.x, b.x, a.y + b.y);
}

static inline double2 treadle_product_of_pairs(double2 a, double2 b) {
#pragma OPENCL FP_CONTRACT OFF
  const double product = a.x * b.x;
  const double rest = fma(a.x, b.x, -product) + (a.x * b.y + a.y * b.x);
  const double whole = product + rest;
  return (double2)(whole, rest - (whole - product));
}

// a / b, of which b is exact; `rest` is what a lacks.
static inline double2 treadle_quotient_of_two(double a, double b, double rest) {
  const double quotient = a / b;
  return (double2)(quotient, (fma(-quotient, b, a) + rest) / b);
}
