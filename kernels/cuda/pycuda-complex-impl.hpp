// SPDX-License-Identifier: MIT
// The functions of pycuda::complex. Programs include pycuda-complex.hpp.
#pragma once

#include "treadle/pycuda_complex.h"

#define __TREADLE_COMPLEX_NAMESPACE pycuda
#include "treadle/complex_functions.h"

extern "C++" {
namespace pycuda {

template <class T>
__device__ inline complex<T> pow(const complex<T>& z, int exponent) {
  return __treadle_power(z, exponent);
}

}  // namespace pycuda
}
