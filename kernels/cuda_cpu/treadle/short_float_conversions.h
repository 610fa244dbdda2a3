// SPDX-License-Identifier: MIT
// Conversions of numbers of 16 bits, and the packing of pairs. Read once for each type: see short_float_types.h.

// From integers and single precision, in every mode of rounding: __int2half_rn, __float2bfloat16_ru.
#define __TREADLE_FROM_IN(type, before, mode)                                                        \
  __TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(before, __TREADLE_WORD, _##mode)(type x) {      \
    return __TREADLE_NUMBER::__treadle_##mode(__treadle_sticky(x));                                  \
  }
#define __TREADLE_FROM(type, before)                                                  \
  __TREADLE_FROM_IN(type, before, rn)                                                 \
  __TREADLE_FROM_IN(type, before, rz)                                                 \
  __TREADLE_FROM_IN(type, before, rd)                                                 \
  __TREADLE_FROM_IN(type, before, ru)
__TREADLE_FROM(float, __float2)
__TREADLE_FROM(short, __short2)
__TREADLE_FROM(unsigned short, __ushort2)
__TREADLE_FROM(int, __int2)
__TREADLE_FROM(unsigned int, __uint2)
__TREADLE_FROM(long long, __ll2)
__TREADLE_FROM(unsigned long long, __ull2)
#undef __TREADLE_FROM
#undef __TREADLE_FROM_IN
__TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(__float2, __TREADLE_WORD, )(float x) {
  return __TREADLE_NUMBER::__treadle_rn(x);
}
__TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(__double2, __TREADLE_WORD, )(double x) {
  return __TREADLE_NUMBER::__treadle_rn(__treadle_sticky(x));
}

// To integers. One narrower than 32 bits saturates at its own limits.
#define __TREADLE_TO_IN(type, name, mode)                                                       \
  __TREADLE_FUNCTION type __TREADLE_NAME(__, __TREADLE_WORD, 2##name##_##mode)(                 \
      __TREADLE_NUMBER x) {                                                                     \
    return __float2##name##_##mode(x.__treadle_widened());                                      \
  }
#define __TREADLE_TO(type, name)                                                      \
  __TREADLE_TO_IN(type, name, rn)                                                     \
  __TREADLE_TO_IN(type, name, rz)                                                     \
  __TREADLE_TO_IN(type, name, rd)                                                     \
  __TREADLE_TO_IN(type, name, ru)
__TREADLE_TO(int, int)
__TREADLE_TO(unsigned int, uint)
__TREADLE_TO(long long, ll)
__TREADLE_TO(unsigned long long, ull)
#undef __TREADLE_TO
#undef __TREADLE_TO_IN
#define __TREADLE_TO_NARROW(type, name, mode, function)                                         \
  __TREADLE_FUNCTION type __TREADLE_NAME(__, __TREADLE_WORD, 2##name##_##mode)(                 \
      __TREADLE_NUMBER x) {                                                                     \
    return __treadle_saturated<type>(function(x.__treadle_widened()));                          \
  }
__TREADLE_TO_NARROW(signed char, char, rz, truncf)
__TREADLE_TO_NARROW(unsigned char, uchar, rz, truncf)
__TREADLE_TO_NARROW(short, short, rn, rintf)
__TREADLE_TO_NARROW(short, short, rz, truncf)
__TREADLE_TO_NARROW(short, short, rd, floorf)
__TREADLE_TO_NARROW(short, short, ru, ceilf)
__TREADLE_TO_NARROW(unsigned short, ushort, rn, rintf)
__TREADLE_TO_NARROW(unsigned short, ushort, rz, truncf)
__TREADLE_TO_NARROW(unsigned short, ushort, rd, floorf)
__TREADLE_TO_NARROW(unsigned short, ushort, ru, ceilf)
#undef __TREADLE_TO_NARROW

__TREADLE_FUNCTION float __TREADLE_NAME(__, __TREADLE_WORD, 2float)(__TREADLE_NUMBER x) {
  return x.__treadle_widened();
}
__TREADLE_FUNCTION short __TREADLE_NAME(__, __TREADLE_WORD, _as_short)(__TREADLE_NUMBER x) {
  return static_cast<short>(x.__x);
}
__TREADLE_FUNCTION unsigned short __TREADLE_NAME(__, __TREADLE_WORD, _as_ushort)(__TREADLE_NUMBER x) {
  return x.__x;
}
__TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(__short_as_, __TREADLE_WORD, )(short bits) {
  return __TREADLE_NUMBER::__treadle_of_bits(static_cast<unsigned short>(bits));
}
__TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(__ushort_as_, __TREADLE_WORD, )(unsigned short bits) {
  return __TREADLE_NUMBER::__treadle_of_bits(bits);
}

// Pairs: the low number is x, the high one y.
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(make_, __TREADLE_PAIR_WORD, )(__TREADLE_NUMBER x,
                                                                              __TREADLE_NUMBER y) {
  return __TREADLE_PAIR(x, y);
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__halves2, __TREADLE_PAIR_WORD, )(
    __TREADLE_NUMBER x, __TREADLE_NUMBER y) {
  return __TREADLE_PAIR(x, y);
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__floats2, __TREADLE_PAIR_WORD, _rn)(float x, float y) {
  return __TREADLE_PAIR(__TREADLE_NUMBER::__treadle_rn(x), __TREADLE_NUMBER::__treadle_rn(y));
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__float2, __TREADLE_PAIR_WORD, _rn)(float x) {
  return __TREADLE_PAIR(__TREADLE_NUMBER::__treadle_rn(x), __TREADLE_NUMBER::__treadle_rn(x));
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__float22, __TREADLE_PAIR_WORD, _rn)(float2 v) {
  return __TREADLE_PAIR(__TREADLE_NUMBER::__treadle_rn(v.x), __TREADLE_NUMBER::__treadle_rn(v.y));
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_DOUBLED(__TREADLE_NUMBER x) {
  return __TREADLE_PAIR(x, x);
}
__TREADLE_FUNCTION float2 __TREADLE_NAME(__, __TREADLE_PAIR_WORD, 2float2)(__TREADLE_PAIR v) {
  return make_float2(v.x.__treadle_widened(), v.y.__treadle_widened());
}
__TREADLE_FUNCTION float __low2float(__TREADLE_PAIR v) { return v.x.__treadle_widened(); }
__TREADLE_FUNCTION float __high2float(__TREADLE_PAIR v) { return v.y.__treadle_widened(); }
__TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(__low2, __TREADLE_WORD, )(__TREADLE_PAIR v) {
  return v.x;
}
__TREADLE_FUNCTION __TREADLE_NUMBER __TREADLE_NAME(__high2, __TREADLE_WORD, )(__TREADLE_PAIR v) {
  return v.y;
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__low2, __TREADLE_PAIR_WORD, )(__TREADLE_PAIR v) {
  return __TREADLE_PAIR(v.x, v.x);
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__high2, __TREADLE_PAIR_WORD, )(__TREADLE_PAIR v) {
  return __TREADLE_PAIR(v.y, v.y);
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__lows2, __TREADLE_PAIR_WORD, )(__TREADLE_PAIR a,
                                                                                __TREADLE_PAIR b) {
  return __TREADLE_PAIR(a.x, b.x);
}
__TREADLE_FUNCTION __TREADLE_PAIR __TREADLE_NAME(__highs2, __TREADLE_PAIR_WORD, )(__TREADLE_PAIR a,
                                                                                 __TREADLE_PAIR b) {
  return __TREADLE_PAIR(a.y, b.y);
}
__TREADLE_FUNCTION __TREADLE_PAIR __lowhigh2highlow(__TREADLE_PAIR v) {
  return __TREADLE_PAIR(v.y, v.x);
}
