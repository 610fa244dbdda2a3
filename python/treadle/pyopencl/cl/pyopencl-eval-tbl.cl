// SPDX-License-Identifier: MIT
// Polynomials whose coefficients are in a table, highest power first, by Horner's rule.
#pragma once

// table[0] x^degree + ... + table[degree]
static inline double polevl(double x, __constant const double *table, int degree) {
  double sum = table[0];
  for (int k = 1; k <= degree; ++k) sum = fma(sum, x, table[k]);
  return sum;
}

// x^degree + table[0] x^(degree - 1) + ... + table[degree - 1]
static inline double p1evl(double x, __constant const double *table, int degree) {
  double sum = x + table[0];
  for (int k = 1; k < degree; ++k) sum = fma(sum, x, table[k]);
  return sum;
}
