// SPDX-License-Identifier: MIT
// What __half and __nv_bfloat16 are made of: numbers of 16 bits widen to single precision exactly, so an operation is
// computed there and its result rounded once more. For + - * / and the root that gives what one rounding gives, single
// precision having more than twice the digits. Where it does not, the value in between is rounded to odd ("sticky"):
// its last bit is set if anything was lost, which is all that a later rounding to fewer digits needs to know.
// Example: 2049.0000001 is a double; the nearest float, 2049, is halfway between two halves and would go to 2048; the
// sticky float, the next one above 2049, goes to 2050 as the double does.
#pragma once

/// Pastes a name around the word of a type: __TREADLE_NAME(__int2, half, _rn) is __int2half_rn.
#define __TREADLE_NAME(before, word, after) __TREADLE_PASTE(before, word, after)
#define __TREADLE_PASTE(before, word, after) before##word##after

__TREADLE_CONSTEXPR float __treadle_sticky(double x) {
  const float single = static_cast<float>(x);
  const double back = static_cast<double>(single);
  if (back == x || x != x) return single;
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, single) - away) | 1u);
}
__TREADLE_CONSTEXPR float __treadle_sticky(float x) { return x; }
__TREADLE_CONSTEXPR float __treadle_sticky(short x) { return x; }
__TREADLE_CONSTEXPR float __treadle_sticky(unsigned short x) { return x; }
__TREADLE_CONSTEXPR float __treadle_sticky(int x) {
  return __treadle_sticky(static_cast<double>(x));
}
__TREADLE_CONSTEXPR float __treadle_sticky(unsigned int x) {
  return __treadle_sticky(static_cast<double>(x));
}
__TREADLE_CONSTEXPR float __treadle_sticky(unsigned long long x) {
  // A double holds 53 bits: of the last 11 of a longer number, whether any is set.
  const unsigned long long tail = x & 0x7ffull;
  const unsigned long long kept = x >> 53 ? (x - tail) | (tail ? 0x800ull : 0ull) : x;
  return __treadle_sticky(static_cast<double>(kept));
}
__TREADLE_CONSTEXPR float __treadle_sticky(long long x) {
  const unsigned long long bits = static_cast<unsigned long long>(x);
  return x < 0 ? -__treadle_sticky(0ull - bits) : __treadle_sticky(bits);
}
__TREADLE_CONSTEXPR float __treadle_sticky(unsigned long x) {
  return __treadle_sticky(static_cast<unsigned long long>(x));
}
__TREADLE_CONSTEXPR float __treadle_sticky(long x) {
  return __treadle_sticky(static_cast<long long>(x));
}

/// a * b + c of numbers of 16 bits. The product is exact in double precision; the sum's error says which way the sum
/// has to be made sticky.
__TREADLE_FUNCTION float __treadle_sticky_fma(double a, double b, double c) {
#pragma clang fp contract(off)
  const double product = a * b, sum = product + c;
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (c - c_part);
  if (!(error < 0 || error > 0)) return __treadle_sticky(sum);
  const bool away = (error < 0) == (sum > 0);
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, sum) - away;
  return __treadle_sticky(__builtin_bit_cast(double, bits | 1ull));
}

/// x, already a whole number or to be cut to one, as a narrow integer: saturating, 0 for NaN, as CUDA's conversions
/// from 16 bits do.
template <class Integer>
__TREADLE_CONSTEXPR Integer __treadle_saturated(float x) {
  const bool is_signed = static_cast<Integer>(-1) < 0;
  const int bits = 8 * sizeof(Integer) - is_signed;
  const int high = (1 << bits) - 1, low = is_signed ? -high - 1 : 0;
  return static_cast<Integer>(x != x ? 0 : x <= low ? low : x >= high ? high : static_cast<int>(x));
}

/// A bit pattern of either type as a single precision number, and the nearest pattern to one, ties to even.
__TREADLE_CONSTEXPR float __treadle_widen_half(unsigned short bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
__TREADLE_CONSTEXPR unsigned short __treadle_narrow_half(float x) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}
__TREADLE_CONSTEXPR float __treadle_widen_bfloat16(unsigned short bits) {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}
__TREADLE_CONSTEXPR unsigned short __treadle_narrow_bfloat16(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const unsigned rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<unsigned short>(x != x ? 0x7fffu : rounded);
}
