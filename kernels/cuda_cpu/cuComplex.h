// SPDX-License-Identifier: MIT
// Complex numbers as CUDA's C interface has them: float2 and double2 with functions.
#pragma once

extern "C++" {

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// Division scales by the larger part of the divisor, so that |b|^2 neither overflows nor vanishes.
#define __TREADLE_COMPLEX(type, scalar, make, s, abs_of)                                        \
  __TREADLE_FUNCTION scalar cuCreal##s(type z) { return z.x; }                                  \
  __TREADLE_FUNCTION scalar cuCimag##s(type z) { return z.y; }                                  \
  __TREADLE_FUNCTION type make(scalar real, scalar imaginary) { return type{real, imaginary}; } \
  __TREADLE_FUNCTION type cuConj##s(type z) { return type{z.x, -z.y}; }                         \
  __TREADLE_FUNCTION type cuCadd##s(type a, type b) { return type{a.x + b.x, a.y + b.y}; }      \
  __TREADLE_FUNCTION type cuCsub##s(type a, type b) { return type{a.x - b.x, a.y - b.y}; }      \
  __TREADLE_FUNCTION type cuCmul##s(type a, type b) {                                           \
    return type{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                  \
  }                                                                                             \
  __TREADLE_FUNCTION type cuCdiv##s(type a, type b) {                                           \
    const scalar scale = 1 / (abs_of(b.x) + abs_of(b.y));                                       \
    const scalar ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;        \
    const scalar inverse = 1 / (bx * bx + by * by);                                             \
    return type{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};                  \
  }                                                                                             \
  __TREADLE_FUNCTION scalar cuCabs##s(type z) { return hypot(z.x, z.y); }                       \
  __TREADLE_FUNCTION type cuCfma##s(type a, type b, type c) {                                   \
    return cuCadd##s(cuCmul##s(a, b), c);                                                       \
  }
__TREADLE_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, fabsf)
__TREADLE_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , fabs)
#undef __TREADLE_COMPLEX

__TREADLE_FUNCTION cuComplex make_cuComplex(float real, float imaginary) {
  return make_cuFloatComplex(real, imaginary);
}
__TREADLE_FUNCTION cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex(static_cast<float>(z.x), static_cast<float>(z.y));
}
__TREADLE_FUNCTION cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
}
