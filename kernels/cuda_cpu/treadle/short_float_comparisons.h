// SPDX-License-Identifier: MIT
// Comparisons of numbers of 16 bits, minimum and maximum. Included once for each type: see short_float_types.h. With
// a NaN, functions whose name ends in u are true and the others false, __hne too; the operator != is __hneu.

#define __TREADLE_COMPARE(relation, holds)                                                         \
  __TREADLE_FUNCTION bool __h##relation(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {                  \
    const float x = a.__treadle_widened(), y = b.__treadle_widened();                              \
    return holds;                                                                                  \
  }                                                                                                \
  __TREADLE_FUNCTION bool __hb##relation##2(__TREADLE_PAIR a, __TREADLE_PAIR b) {                  \
    return __h##relation(a.x, b.x) && __h##relation(a.y, b.y);                                     \
  }                                                                                                \
  __TREADLE_FUNCTION __TREADLE_PAIR __h##relation##2(__TREADLE_PAIR a, __TREADLE_PAIR b) {         \
    return __TREADLE_PAIR(__treadle_truth(a.x, __h##relation(a.x, b.x)),                           \
                          __treadle_truth(a.x, __h##relation(a.y, b.y)));                          \
  }                                                                                                \
  __TREADLE_FUNCTION unsigned __h##relation##2_mask(__TREADLE_PAIR a, __TREADLE_PAIR b) {          \
    return (__h##relation(a.x, b.x) ? 0xffffu : 0u) | (__h##relation(a.y, b.y) ? 0xffff0000u : 0u); \
  }
/// 1 or 0 as a number of the type of the first argument.
__TREADLE_FUNCTION __TREADLE_NUMBER __treadle_truth(__TREADLE_NUMBER, bool value) {
  return __TREADLE_NUMBER::__treadle_rn(value ? 1.0f : 0.0f);
}
__TREADLE_COMPARE(eq, x == y)
__TREADLE_COMPARE(ne, x < y || x > y)
__TREADLE_COMPARE(le, x <= y)
__TREADLE_COMPARE(ge, x >= y)
__TREADLE_COMPARE(lt, x < y)
__TREADLE_COMPARE(gt, x > y)
__TREADLE_COMPARE(equ, !(x < y || x > y))
__TREADLE_COMPARE(neu, x != y)
__TREADLE_COMPARE(leu, !(x > y))
__TREADLE_COMPARE(geu, !(x < y))
__TREADLE_COMPARE(ltu, !(x >= y))
__TREADLE_COMPARE(gtu, !(x <= y))
#undef __TREADLE_COMPARE

__TREADLE_FUNCTION bool __hisnan(__TREADLE_NUMBER a) {
  const float x = a.__treadle_widened();
  return x != x;
}
__TREADLE_FUNCTION __TREADLE_PAIR __hisnan2(__TREADLE_PAIR a) {
  return __TREADLE_PAIR(__treadle_truth(a.x, __hisnan(a.x)), __treadle_truth(a.x, __hisnan(a.y)));
}
__TREADLE_FUNCTION int __hisinf(__TREADLE_NUMBER a) {
  const float x = a.__treadle_widened();
  return x == __builtin_huge_valf() ? 1 : x == -__builtin_huge_valf() ? -1 : 0;
}

// Of two equal numbers only the zeros differ, in the sign: the larger one has it if both do, the smaller if either.
#define __TREADLE_PICK(name, beats, of_equals)                                                     \
  __TREADLE_FUNCTION __TREADLE_NUMBER name(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {               \
    const float x = a.__treadle_widened(), y = b.__treadle_widened();                              \
    if (x != x && y != y) return __TREADLE_NUMBER::__treadle_of_bits(0x7fffu);                     \
    if (x == y) return __TREADLE_NUMBER::__treadle_of_bits(static_cast<unsigned short>(of_equals)); \
    return y != y || x beats y ? a : b;                                                            \
  }                                                                                                \
  __TREADLE_FUNCTION __TREADLE_NUMBER name##_nan(__TREADLE_NUMBER a, __TREADLE_NUMBER b) {         \
    return __hisnan(a) || __hisnan(b) ? __TREADLE_NUMBER::__treadle_of_bits(0x7fffu) : name(a, b); \
  }                                                                                                \
  __TREADLE_OF_PAIRS_2(name##2, name)                                                              \
  __TREADLE_OF_PAIRS_2(name##2_nan, name##_nan)
__TREADLE_PICK(__hmax, >, a.__x & b.__x)
__TREADLE_PICK(__hmin, <, a.__x | b.__x)
#undef __TREADLE_PICK

#define __TREADLE_OPERATOR(op, relation)                                                           \
  __TREADLE_FUNCTION bool operator op(const __TREADLE_COMPARED& a, const __TREADLE_COMPARED& b) {  \
    return relation(a, b);                                                                         \
  }
#if __TREADLE_NUMBER_OPERATORS
#define __TREADLE_COMPARED __TREADLE_NUMBER
__TREADLE_OPERATOR(==, __heq)
__TREADLE_OPERATOR(!=, __hneu)
__TREADLE_OPERATOR(<, __hlt)
__TREADLE_OPERATOR(<=, __hle)
__TREADLE_OPERATOR(>, __hgt)
__TREADLE_OPERATOR(>=, __hge)
#undef __TREADLE_COMPARED
#endif
#if __TREADLE_PAIR_OPERATORS
#define __TREADLE_COMPARED __TREADLE_PAIR
__TREADLE_OPERATOR(==, __hbeq2)
__TREADLE_OPERATOR(!=, __hbneu2)
__TREADLE_OPERATOR(<, __hblt2)
__TREADLE_OPERATOR(<=, __hble2)
__TREADLE_OPERATOR(>, __hbgt2)
__TREADLE_OPERATOR(>=, __hbge2)
#undef __TREADLE_COMPARED
#endif
#undef __TREADLE_OPERATOR
