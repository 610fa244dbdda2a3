// SPDX-License-Identifier: MIT
// Arithmetic of numbers of 16 bits, each operation with one rounding, and the operators. Read once for each type: see
// short_float_types.h. Only functions whose name says so are fused: -ffp-contract=off holds for all of it.

__TREADLE_FUNCTION __TREADLE_NUMBER __hadd(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {
#pragma clang fp contract(off)
  return __TREADLE_NUMBER::__treadle_rn(a.__treadle_widened() + b.__treadle_widened());
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hsub(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {
#pragma clang fp contract(off)
  return __TREADLE_NUMBER::__treadle_rn(a.__treadle_widened() - b.__treadle_widened());
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hmul(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {
#pragma clang fp contract(off)
  return __TREADLE_NUMBER::__treadle_rn(a.__treadle_widened() * b.__treadle_widened());
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hdiv(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {
#pragma clang fp contract(off) reciprocal(off)
  return __TREADLE_NUMBER::__treadle_rn(a.__treadle_widened() / b.__treadle_widened());
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hfma(__TREADLE_NUMBER a, __TREADLE_NUMBER b, __TREADLE_NUMBER c) {
  return __TREADLE_NUMBER::__treadle_rn(__treadle_sticky_fma(
      a.__treadle_widened(), b.__treadle_widened(), c.__treadle_widened()));
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hneg(__TREADLE_NUMBER a) {
  return __TREADLE_NUMBER::__treadle_of_bits(static_cast<unsigned short>(a.__x ^ 0x8000u));
}
__TREADLE_FUNCTION __TREADLE_NUMBER __habs(__TREADLE_NUMBER a) {
  return __TREADLE_NUMBER::__treadle_of_bits(static_cast<unsigned short>(a.__x & 0x7fffu));
}

/// Clamped to [0, 1], where NaN becomes 0, or to at least 0, where NaN stays NaN.
__TREADLE_FUNCTION __TREADLE_NUMBER __treadle_saturated(__TREADLE_NUMBER a) {
  const float x = a.__treadle_widened();
  return !(x > 0.0f) ? __TREADLE_NUMBER::__treadle_of_bits(0)
         : x > 1.0f  ? __TREADLE_NUMBER::__treadle_rn(1.0f)
                     : a;
}
__TREADLE_FUNCTION __TREADLE_NUMBER __treadle_relu(__TREADLE_NUMBER a) {
  return a.__treadle_widened() <= 0.0f ? __TREADLE_NUMBER::__treadle_of_bits(0) : a;
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hfma_sat(__TREADLE_NUMBER a, __TREADLE_NUMBER b,
                                               __TREADLE_NUMBER c) {
  return __treadle_saturated(__hfma(a, b, c));
}
__TREADLE_FUNCTION __TREADLE_NUMBER __hfma_relu(__TREADLE_NUMBER a, __TREADLE_NUMBER b,
                                                __TREADLE_NUMBER c) {
  return __treadle_relu(__hfma(a, b, c));
}

// The forms for pairs, and those with a rounding that stands in the name, which here is every one's.
#define __TREADLE_OF_PAIRS_1(name, single)                              \
  __TREADLE_FUNCTION __TREADLE_PAIR name(__TREADLE_PAIR a) {            \
    return __TREADLE_PAIR(single(a.x), single(a.y));                    \
  }
#define __TREADLE_OF_PAIRS_2(name, single)                                           \
  __TREADLE_FUNCTION __TREADLE_PAIR name(__TREADLE_PAIR a, __TREADLE_PAIR b) {       \
    return __TREADLE_PAIR(single(a.x, b.x), single(a.y, b.y));                       \
  }
#define __TREADLE_OF_PAIRS_3(name, single)                                                          \
  __TREADLE_FUNCTION __TREADLE_PAIR name(__TREADLE_PAIR a, __TREADLE_PAIR b, __TREADLE_PAIR c) {    \
    return __TREADLE_PAIR(single(a.x, b.x, c.x), single(a.y, b.y, c.y));                            \
  }
#define __TREADLE_VARIANTS(name)                                                                     \
  __TREADLE_FUNCTION __TREADLE_NUMBER name##_rn(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {            \
    return name(a, b);                                                                               \
  }                                                                                                  \
  __TREADLE_FUNCTION __TREADLE_NUMBER name##_sat(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {           \
    return __treadle_saturated(name(a, b));                                                          \
  }                                                                                                  \
  __TREADLE_OF_PAIRS_2(name##2, name)                                                                \
  __TREADLE_OF_PAIRS_2(name##2_rn, name)                                                             \
  __TREADLE_OF_PAIRS_2(name##2_sat, name##_sat)
__TREADLE_VARIANTS(__hadd)
__TREADLE_VARIANTS(__hsub)
__TREADLE_VARIANTS(__hmul)
#undef __TREADLE_VARIANTS
__TREADLE_OF_PAIRS_2(__h2div, __hdiv)
__TREADLE_OF_PAIRS_1(__hneg2, __hneg)
__TREADLE_OF_PAIRS_1(__habs2, __habs)
__TREADLE_OF_PAIRS_3(__hfma2, __hfma)
__TREADLE_OF_PAIRS_3(__hfma2_sat, __hfma_sat)
__TREADLE_OF_PAIRS_3(__hfma2_relu, __hfma_relu)
/// Of complex numbers, x the real part: a * b + c, each part two fused steps, that of the real parts first.
__TREADLE_FUNCTION __TREADLE_PAIR __hcmadd(__TREADLE_PAIR a, __TREADLE_PAIR b, __TREADLE_PAIR c) {
  return __TREADLE_PAIR(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                        __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

#define __TREADLE_OPERATOR(type, op, function)                                              \
  __TREADLE_FUNCTION type operator op(const type& a, const type& b) { return function(a, b); } \
  __TREADLE_FUNCTION type& operator op##=(type& a, const type& b) { return a = function(a, b); }
#define __TREADLE_STEP(type, op, function, one)                                             \
  __TREADLE_FUNCTION type& operator op(type& a) { return a = function(a, one); }            \
  __TREADLE_FUNCTION type operator op(type& a, int) {                                       \
    const type before = a;                                                                  \
    a = function(a, one);                                                                   \
    return before;                                                                          \
  }
#define __TREADLE_OPERATORS(type, pair, divide, negate, one)                                \
  __TREADLE_OPERATOR(type, +, __hadd##pair)                                                 \
  __TREADLE_OPERATOR(type, -, __hsub##pair)                                                 \
  __TREADLE_OPERATOR(type, *, __hmul##pair)                                                 \
  __TREADLE_OPERATOR(type, /, divide)                                                       \
  __TREADLE_STEP(type, ++, __hadd##pair, one)                                               \
  __TREADLE_STEP(type, --, __hsub##pair, one)                                               \
  __TREADLE_FUNCTION type operator+(const type& a) { return a; }                            \
  __TREADLE_FUNCTION type operator-(const type& a) { return negate(a); }
#if __TREADLE_NUMBER_OPERATORS
__TREADLE_OPERATORS(__TREADLE_NUMBER, , __hdiv, __hneg, __TREADLE_NUMBER::__treadle_rn(1.0f))
#endif
#if __TREADLE_PAIR_OPERATORS
__TREADLE_OPERATORS(__TREADLE_PAIR, 2, __h2div, __hneg2,
                    __TREADLE_PAIR(__TREADLE_NUMBER::__treadle_rn(1.0f),
                                   __TREADLE_NUMBER::__treadle_rn(1.0f)))
#endif
#undef __TREADLE_OPERATORS
#undef __TREADLE_STEP
#undef __TREADLE_OPERATOR
