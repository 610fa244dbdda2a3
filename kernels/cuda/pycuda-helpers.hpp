// SPDX-License-Identifier: MIT
// How PyCUDA's programs read and write doubles and complex numbers through textures and surfaces, whose channels are
// integers and floats only: as two or four integers.
#pragma once

#include <treadle/texture_references.h>

#include "pycuda-complex.hpp"

extern "C++" {
typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

/// What a texel of such a type means; others mean what they are.
__device__ inline double fp_tex_value(fp_tex_double texel) { return __hiloint2double(texel.y, texel.x); }
__device__ inline pycuda::complex<float> fp_tex_value(fp_tex_cfloat texel) {
  return pycuda::complex<float>(__uint_as_float(texel.x), __uint_as_float(texel.y));
}
__device__ inline pycuda::complex<double> fp_tex_value(fp_tex_cdouble texel) {
  return pycuda::complex<double>(__hiloint2double(texel.y, texel.x), __hiloint2double(texel.w, texel.z));
}
template <class T>
__device__ inline T fp_tex_value(T texel) {
  return texel;
}

/// The texel that holds a value.
__device__ inline fp_tex_double fp_tex_texel(double value) {
  return make_int2(__double2loint(value), __double2hiint(value));
}
__device__ inline fp_tex_cfloat fp_tex_texel(pycuda::complex<float> value) {
  return make_uint2(__float_as_uint(value._M_re), __float_as_uint(value._M_im));
}
__device__ inline fp_tex_cdouble fp_tex_texel(pycuda::complex<double> value) {
  return make_int4(__double2loint(value._M_re), __double2hiint(value._M_re), __double2loint(value._M_im),
                   __double2hiint(value._M_im));
}
template <class T>
__device__ inline T fp_tex_texel(T value) {
  return value;
}

#define __TREADLE_UNPACK(...) __VA_ARGS__
#define __TREADLE_FP_FETCH(name, shape, parameters, ...)                                                             \
  template <class T, cudaTextureReadMode mode>                                                                       \
  __device__ __forceinline__ auto fp_##name(const texture<T, shape, mode>& reference, __TREADLE_UNPACK parameters)   \
      ->decltype(fp_tex_value(name(reference, __VA_ARGS__))) {                                                       \
    return fp_tex_value(name(reference, __VA_ARGS__));                                                               \
  }
__TREADLE_FP_FETCH(tex1Dfetch, cudaTextureType1D, (int i), i)
__TREADLE_FP_FETCH(tex1D, cudaTextureType1D, (float i), i)
__TREADLE_FP_FETCH(tex2D, cudaTextureType2D, (float i, float j), i, j)
__TREADLE_FP_FETCH(tex3D, cudaTextureType3D, (float i, float j, float k), i, j, k)
__TREADLE_FP_FETCH(tex2DLayered, cudaTextureType2DLayered, (float i, float j, int layer), i, j, layer)
#undef __TREADLE_FP_FETCH

/// i counts elements, unlike that of surf2DLayeredread().
#define __TREADLE_FP_SURFACE(name, shape)                                                                             \
  template <class T, class Element>                                                                                   \
  __device__ __forceinline__ void fp_##name##read(T* result, const surface<Element, shape>& reference, int i, int j,  \
                                                  int k, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
    decltype(fp_tex_texel(*result)) texel;                                                                            \
    name##read(&texel, reference, i * (int)sizeof(T), j, k, mode);                                                    \
    *result = fp_tex_value(texel);                                                                                    \
  }                                                                                                                   \
  template <class T, class Element>                                                                                   \
  __device__ __forceinline__ void fp_##name##write(T value, const surface<Element, shape>& reference, int i, int j,   \
                                                   int k, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
    name##write(fp_tex_texel(value), reference, i * (int)sizeof(T), j, k, mode);                                      \
  }
__TREADLE_FP_SURFACE(surf2DLayered, cudaSurfaceType2DLayered)
__TREADLE_FP_SURFACE(surf3D, cudaSurfaceType3D)
#undef __TREADLE_FP_SURFACE
#undef __TREADLE_UNPACK
}
