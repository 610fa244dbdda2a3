// SPDX-License-Identifier: MIT
// Arithmetic on the two halfwords or four bytes of a word: __vadd2, __vcmpgts4 and their like. Each is a loop over
// the parts, which the compiler unrolls, and computes for many threads at once.
//
//   __vadd2(a, b):  a = [ a1 | a0 ],  b = [ b1 | b0 ]   =>   [ (a1 + b1) mod 2^16 | (a0 + b0) mod 2^16 ]
#pragma once

/// Brings x into the range of Part.
template <class Part>
__TREADLE_FUNCTION int __treadle_saturated(int x) {
  const bool is_signed = static_cast<Part>(-1) < 0;
  const int bits = 8 * sizeof(Part) - is_signed;
  const int largest = (1 << bits) - 1, smallest = is_signed ? -largest - 1 : 0;
  return x < smallest ? smallest : x > largest ? largest : x;
}

/// Operation::of<Part>(x, y) for each pair of parts, as ints; their low bits side by side.
template <class Part, class Operation>
__TREADLE_FUNCTION unsigned __treadle_by_part(unsigned a, unsigned b) {
  const unsigned bits = 8 * sizeof(Part), mask = (1u << bits) - 1;
  unsigned word = 0;
  for (unsigned at = 0; at < 32; at += bits) {
    const int part = Operation::template of<Part>(static_cast<Part>(a >> at), static_cast<Part>(b >> at));
    word |= (static_cast<unsigned>(part) & mask) << at;
  }
  return word;
}

// name2 and name4; `result` is made of x, y and Part. One loop above serves all: the prelude stays small.
#define __TREADLE_PARTS(name, Half, Byte, result)                                                         \
  struct __treadle##name {                                                                                \
    template <class Part>                                                                                 \
    static __device__ int of(int x, int y) {                                                              \
      return result;                                                                                      \
    }                                                                                                     \
  };                                                                                                      \
  __TREADLE_FUNCTION unsigned name##2(unsigned a, unsigned b) {                                           \
    return __treadle_by_part<Half, __treadle##name>(a, b);                                                \
  }                                                                                                       \
  __TREADLE_FUNCTION unsigned name##4(unsigned a, unsigned b) {                                           \
    return __treadle_by_part<Byte, __treadle##name>(a, b);                                                \
  }
#define __TREADLE_SIGNED(name, result) __TREADLE_PARTS(name, short, signed char, result)
#define __TREADLE_UNSIGNED(name, result) __TREADLE_PARTS(name, unsigned short, unsigned char, result)

__TREADLE_UNSIGNED(__vadd, x + y)
__TREADLE_SIGNED(__vaddss, __treadle_saturated<Part>(x + y))
__TREADLE_UNSIGNED(__vaddus, __treadle_saturated<Part>(x + y))
__TREADLE_UNSIGNED(__vsub, x - y)
__TREADLE_SIGNED(__vsubss, __treadle_saturated<Part>(x - y))
__TREADLE_UNSIGNED(__vsubus, __treadle_saturated<Part>(x - y))
__TREADLE_SIGNED(__vabsdiffs, x > y ? x - y : y - x)
__TREADLE_UNSIGNED(__vabsdiffu, x > y ? x - y : y - x)
// Halves are rounded away from zero.
__TREADLE_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
__TREADLE_UNSIGNED(__vavgu, (x + y + 1) >> 1)
__TREADLE_UNSIGNED(__vhaddu, (x + y) >> 1)
__TREADLE_SIGNED(__vmaxs, x > y ? x : y)
__TREADLE_UNSIGNED(__vmaxu, x > y ? x : y)
__TREADLE_SIGNED(__vmins, x < y ? x : y)
__TREADLE_UNSIGNED(__vminu, x < y ? x : y)

// Comparisons: __vcmp gives all bits of the part, __vset its lowest.
#define __TREADLE_COMPARE(kind, name, operation)           \
  kind(__vcmp##name, x operation y ? -1 : 0)               \
  kind(__vset##name, x operation y)
__TREADLE_COMPARE(__TREADLE_UNSIGNED, eq, ==)
__TREADLE_COMPARE(__TREADLE_UNSIGNED, ne, !=)
__TREADLE_COMPARE(__TREADLE_SIGNED, ges, >=)
__TREADLE_COMPARE(__TREADLE_SIGNED, gts, >)
__TREADLE_COMPARE(__TREADLE_SIGNED, les, <=)
__TREADLE_COMPARE(__TREADLE_SIGNED, lts, <)
__TREADLE_COMPARE(__TREADLE_UNSIGNED, geu, >=)
__TREADLE_COMPARE(__TREADLE_UNSIGNED, gtu, >)
__TREADLE_COMPARE(__TREADLE_UNSIGNED, leu, <=)
__TREADLE_COMPARE(__TREADLE_UNSIGNED, ltu, <)
#undef __TREADLE_COMPARE
#undef __TREADLE_UNSIGNED
#undef __TREADLE_SIGNED
#undef __TREADLE_PARTS

// Of one word: differences from zero, and sums over the parts.
#define __TREADLE_OF_WIDTH(width)                                                                                \
  __TREADLE_FUNCTION unsigned __vneg##width(unsigned a) { return __vsub##width(0, a); }                         \
  __TREADLE_FUNCTION unsigned __vnegss##width(unsigned a) { return __vsubss##width(0, a); }                     \
  __TREADLE_FUNCTION unsigned __vabs##width(unsigned a) { return __vabsdiffs##width(a, 0); }                    \
  __TREADLE_FUNCTION unsigned __vabsss##width(unsigned a) { return __vmaxs##width(a, __vnegss##width(a)); }     \
  __TREADLE_FUNCTION unsigned __treadle_sum##width(unsigned a) {                                                \
    unsigned sum = 0;                                                                                           \
    for (unsigned at = 0; at < 32; at += 32 / width) sum += a >> at & (width == 2 ? 0xffffu : 0xffu);           \
    return sum;                                                                                                 \
  }                                                                                                             \
  __TREADLE_FUNCTION unsigned __vsads##width(unsigned a, unsigned b) {                                          \
    return __treadle_sum##width(__vabsdiffs##width(a, b));                                                      \
  }                                                                                                             \
  __TREADLE_FUNCTION unsigned __vsadu##width(unsigned a, unsigned b) {                                          \
    return __treadle_sum##width(__vabsdiffu##width(a, b));                                                      \
  }
__TREADLE_OF_WIDTH(2)
__TREADLE_OF_WIDTH(4)
#undef __TREADLE_OF_WIDTH

// Largest or smallest of a sum and a number, of three numbers, or of two with the answer which; `_relu` is never
// below zero. `pick` and `add` are those of the type, `relu` compares as signed numbers.
#define __TREADLE_PICKS(type, kind, name, pick, add)                                                       \
  __TREADLE_FUNCTION type __viadd##name##_##kind(type a, type b, type c) { return pick(add(a, b), c); }    \
  __TREADLE_FUNCTION type __vi##name##3_##kind(type a, type b, type c) { return pick(pick(a, b), c); }
#define __TREADLE_PICKS_RELU(type, kind, name, pick, add, relu)                                            \
  __TREADLE_PICKS(type, kind, name, pick, add)                                                             \
  __TREADLE_FUNCTION type __viadd##name##_##kind##_relu(type a, type b, type c) {                          \
    return relu(pick(add(a, b), c), 0);                                                                    \
  }                                                                                                        \
  __TREADLE_FUNCTION type __vi##name##3_##kind##_relu(type a, type b, type c) {                            \
    return relu(pick(pick(a, b), c), 0);                                                                   \
  }                                                                                                        \
  __TREADLE_FUNCTION type __vi##name##_##kind##_relu(type a, type b) { return relu(pick(a, b), 0); }
__TREADLE_FUNCTION int __treadle_wrapped_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
__TREADLE_FUNCTION unsigned __treadle_wrapped_sum(unsigned a, unsigned b) { return a + b; }
__TREADLE_PICKS_RELU(int, s32, max, max, __treadle_wrapped_sum, max)
__TREADLE_PICKS_RELU(int, s32, min, min, __treadle_wrapped_sum, max)
__TREADLE_PICKS_RELU(unsigned, s16x2, max, __vmaxs2, __vadd2, __vmaxs2)
__TREADLE_PICKS_RELU(unsigned, s16x2, min, __vmins2, __vadd2, __vmaxs2)
__TREADLE_PICKS(unsigned, u32, max, max, __treadle_wrapped_sum)
__TREADLE_PICKS(unsigned, u32, min, min, __treadle_wrapped_sum)
__TREADLE_PICKS(unsigned, u16x2, max, __vmaxu2, __vadd2)
__TREADLE_PICKS(unsigned, u16x2, min, __vminu2, __vadd2)
#undef __TREADLE_PICKS_RELU
#undef __TREADLE_PICKS

#define __TREADLE_PICK_AND_TELL(type, kind, name, operation)                                   \
  __TREADLE_FUNCTION type __vib##name##_##kind(type a, type b, bool* first) {                  \
    *first = a operation b;                                                                    \
    return name(a, b);                                                                         \
  }
__TREADLE_PICK_AND_TELL(int, s32, max, >=)
__TREADLE_PICK_AND_TELL(int, s32, min, <=)
__TREADLE_PICK_AND_TELL(unsigned, u32, max, >=)
__TREADLE_PICK_AND_TELL(unsigned, u32, min, <=)
#undef __TREADLE_PICK_AND_TELL

#define __TREADLE_PICK_AND_TELL(kind, name, pick, compare)                                     \
  __TREADLE_FUNCTION unsigned __vib##name##_##kind(unsigned a, unsigned b, bool* high, bool* low) { \
    const unsigned first = compare(a, b);                                                      \
    *high = first >> 31;                                                                       \
    *low = first & 1;                                                                          \
    return pick(a, b);                                                                         \
  }
__TREADLE_PICK_AND_TELL(s16x2, max, __vmaxs2, __vcmpges2)
__TREADLE_PICK_AND_TELL(s16x2, min, __vmins2, __vcmples2)
__TREADLE_PICK_AND_TELL(u16x2, max, __vmaxu2, __vcmpgeu2)
__TREADLE_PICK_AND_TELL(u16x2, min, __vminu2, __vcmpleu2)
#undef __TREADLE_PICK_AND_TELL
