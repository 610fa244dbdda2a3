// SPDX-License-Identifier: MIT
// The element types under which PyCUDA's programs read doubles and complex numbers through textures, whose channels are
// integers and floats only. The fetches on texture references went with those references in CUDA 12.
#pragma once

#include "pycuda-complex.hpp"

extern "C++" {
typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

/// What a texel of such a type means.
__device__ inline double fp_tex_value(fp_tex_double texel) { return __hiloint2double(texel.y, texel.x); }
__device__ inline pycuda::complex<float> fp_tex_value(fp_tex_cfloat texel) {
  return pycuda::complex<float>(__uint_as_float(texel.x), __uint_as_float(texel.y));
}
__device__ inline pycuda::complex<double> fp_tex_value(fp_tex_cdouble texel) {
  return pycuda::complex<double>(__hiloint2double(texel.y, texel.x), __hiloint2double(texel.w, texel.z));
}
__device__ inline fp_tex_float fp_tex_value(fp_tex_float texel) { return texel; }
}
