// SPDX-License-Identifier: MIT
// Functions of numbers of 16 bits, and the atomic sums. Read once for each type: see short_float_types.h. CUDA promises
// of each the nearest number; single precision would be a last digit off now and then, so what is not exact is computed
// in double.

#define __TREADLE_OF_NUMBER(name, value)                                              \
  __TREADLE_FUNCTION __TREADLE_NUMBER h##name(__TREADLE_NUMBER a) {                   \
    const float x = a.__treadle_widened();                                            \
    return __TREADLE_NUMBER::__treadle_rn(__treadle_sticky(value));                   \
  }                                                                                   \
  __TREADLE_OF_PAIRS_1(h2##name, h##name)
__TREADLE_OF_NUMBER(ceil, ceilf(x))
__TREADLE_OF_NUMBER(floor, floorf(x))
__TREADLE_OF_NUMBER(trunc, truncf(x))
__TREADLE_OF_NUMBER(rint, rintf(x))
__TREADLE_OF_NUMBER(sqrt, sqrt(static_cast<double>(x)))
__TREADLE_OF_NUMBER(rcp, 1.0 / static_cast<double>(x))
__TREADLE_OF_NUMBER(rsqrt, 1.0 / sqrt(static_cast<double>(x)))
__TREADLE_OF_NUMBER(exp, exp(static_cast<double>(x)))
__TREADLE_OF_NUMBER(exp2, exp2(static_cast<double>(x)))
__TREADLE_OF_NUMBER(exp10, exp10(static_cast<double>(x)))
__TREADLE_OF_NUMBER(log, log(static_cast<double>(x)))
__TREADLE_OF_NUMBER(log2, log2(static_cast<double>(x)))
__TREADLE_OF_NUMBER(log10, log10(static_cast<double>(x)))
__TREADLE_OF_NUMBER(sin, sin(static_cast<double>(x)))
__TREADLE_OF_NUMBER(cos, cos(static_cast<double>(x)))
__TREADLE_OF_NUMBER(tanh, tanh(static_cast<double>(x)))
__TREADLE_OF_NUMBER(tanh_approx, tanh(static_cast<double>(x)))
#undef __TREADLE_OF_NUMBER
#undef __TREADLE_OF_PAIRS_1
#undef __TREADLE_OF_PAIRS_2
#undef __TREADLE_OF_PAIRS_3

__TREADLE_ATOMIC_LOOP(atomicAdd, __TREADLE_NUMBER, unsigned short, __hadd(old, value))
__TREADLE_ATOMIC_LOOP(atomicAdd, __TREADLE_PAIR, unsigned int, __hadd2(old, value))
