// SPDX-License-Identifier: MIT
// Complex numbers as CUDA's C interface has them: float2 and double2 with functions.
#pragma once

extern "C++" {

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// Division scales by the larger part of the divisor, so that |b|^2 neither overflows nor vanishes.
#define __TREADLE_COMPLEX(type, scalar, make, s, abs_of)                                        \
  static __inline__ __host__ __device__ scalar cuCreal##s(type z) { return z.x; }                                  \
  static __inline__ __host__ __device__ scalar cuCimag##s(type z) { return z.y; }                                  \
  static __inline__ __host__ __device__ type make(scalar real, scalar imaginary) { return type{real, imaginary}; } \
  static __inline__ __host__ __device__ type cuConj##s(type z) { return type{z.x, -z.y}; }                         \
  static __inline__ __host__ __device__ type cuCadd##s(type a, type b) { return type{a.x + b.x, a.y + b.y}; }      \
  static __inline__ __host__ __device__ type cuCsub##s(type a, type b) { return type{a.x - b.x, a.y - b.y}; }      \
  static __inline__ __host__ __device__ type cuCmul##s(type a, type b) {                                           \
    return type{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                  \
  }                                                                                             \
  static __inline__ __host__ __device__ type cuCdiv##s(type a, type b) {                                           \
    const scalar scale = 1 / (abs_of(b.x) + abs_of(b.y));                                       \
    const scalar ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;        \
    const scalar inverse = 1 / (bx * bx + by * by);                                             \
    return type{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};                  \
  }                                                                                             \
  static __inline__ __host__ __device__ scalar cuCabs##s(type z) { return hypot(z.x, z.y); }                       \
  static __inline__ __host__ __device__ type cuCfma##s(type a, type b, type c) {                                   \
    return cuCadd##s(cuCmul##s(a, b), c);                                                       \
  }
__TREADLE_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f, fabsf)
__TREADLE_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, , fabs)
#undef __TREADLE_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float real, float imaginary) {
  return make_cuFloatComplex(real, imaginary);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex(static_cast<float>(z.x), static_cast<float>(z.y));
}
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
}
