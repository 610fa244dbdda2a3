// SPDX-License-Identifier: MIT
// Reinterpretation of bits, and conversions that state their rounding.
#pragma once

template <class To, class From>
__TREADLE_FUNCTION To __treadle_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "bits move between types of one size");
  return __builtin_bit_cast(To, value);
}

__TREADLE_FUNCTION int __float_as_int(float x) { return __treadle_bits<int>(x); }
__TREADLE_FUNCTION unsigned __float_as_uint(float x) { return __treadle_bits<unsigned>(x); }
__TREADLE_FUNCTION float __int_as_float(int x) { return __treadle_bits<float>(x); }
__TREADLE_FUNCTION float __uint_as_float(unsigned x) { return __treadle_bits<float>(x); }
__TREADLE_FUNCTION long long __double_as_longlong(double x) { return __treadle_bits<long long>(x); }
__TREADLE_FUNCTION double __longlong_as_double(long long x) { return __treadle_bits<double>(x); }
__TREADLE_FUNCTION int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
__TREADLE_FUNCTION int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
__TREADLE_FUNCTION double __hiloint2double(int high, int low) {
  return __treadle_bits<double>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                                static_cast<unsigned>(low));
}

// To integers: __float2int_rn and its like, the four modes of each pair of types.
#define __TREADLE_TO_INTEGER(from, from_name, suffix, to, to_name)                                        \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_rn(from x) { return static_cast<to>(rint##suffix(x)); }  \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_rz(from x) { return static_cast<to>(x); }             \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_ru(from x) { return static_cast<to>(ceil##suffix(x)); }  \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_rd(from x) { return static_cast<to>(floor##suffix(x)); }
__TREADLE_TO_INTEGER(float, float, f, int, int)
__TREADLE_TO_INTEGER(float, float, f, unsigned int, uint)
__TREADLE_TO_INTEGER(float, float, f, long long, ll)
__TREADLE_TO_INTEGER(float, float, f, unsigned long long, ull)
__TREADLE_TO_INTEGER(double, double, , int, int)
__TREADLE_TO_INTEGER(double, double, , unsigned int, uint)
__TREADLE_TO_INTEGER(double, double, , long long, ll)
__TREADLE_TO_INTEGER(double, double, , unsigned long long, ull)
#undef __TREADLE_TO_INTEGER

// To floating point. The nearest value comes from the processor; the other modes step from it. The comparison is
// made in `wide`, which holds both sides exactly; where nothing does, in the integer's own type, below `limit`, the
// first power of two that it does not hold and that the nearest value may be.
#define __TREADLE_TO_FLOAT(from, from_name, to, to_name, is_above, is_below)                               \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_rn(from x) { return static_cast<to>(x); }              \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_rd(from x) {                                           \
    const to near = static_cast<to>(x);                                                                    \
    return (is_above) ? __treadle_step(near, false) : near;                                                \
  }                                                                                                        \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_ru(from x) {                                           \
    const to near = static_cast<to>(x);                                                                    \
    return (is_below) ? __treadle_step(near, true) : near;                                                 \
  }                                                                                                        \
  __TREADLE_FUNCTION to __##from_name##2##to_name##_rz(from x) {                                           \
    return x < 0 ? __##from_name##2##to_name##_ru(x) : __##from_name##2##to_name##_rd(x);                  \
  }
#define __TREADLE_TO_FLOAT_BY(wide, from, from_name, to, to_name)                                          \
  __TREADLE_TO_FLOAT(from, from_name, to, to_name, static_cast<wide>(near) > static_cast<wide>(x),         \
                     static_cast<wide>(near) < static_cast<wide>(x))
#define __TREADLE_TO_FLOAT_BELOW(limit, from, from_name, to, to_name)                                      \
  __TREADLE_TO_FLOAT(from, from_name, to, to_name, near >= (limit) || static_cast<from>(near) > x,         \
                     near < (limit) && static_cast<from>(near) < x)
__TREADLE_TO_FLOAT_BY(double, double, double, float, float)
__TREADLE_TO_FLOAT_BY(double, int, int, float, float)
__TREADLE_TO_FLOAT_BY(double, unsigned int, uint, float, float)
__TREADLE_TO_FLOAT_BELOW(0x1p63f, long long, ll, float, float)
__TREADLE_TO_FLOAT_BELOW(0x1p64f, unsigned long long, ull, float, float)
__TREADLE_TO_FLOAT_BELOW(0x1p63, long long, ll, double, double)
__TREADLE_TO_FLOAT_BELOW(0x1p64, unsigned long long, ull, double, double)
#undef __TREADLE_TO_FLOAT_BELOW
#undef __TREADLE_TO_FLOAT_BY
#undef __TREADLE_TO_FLOAT
__TREADLE_FUNCTION double __int2double_rn(int x) { return x; }
__TREADLE_FUNCTION double __uint2double_rn(unsigned x) { return x; }

__TREADLE_FUNCTION int float2int(float x) { return static_cast<int>(x); }
__TREADLE_FUNCTION float int2float(int x) { return static_cast<float>(x); }
