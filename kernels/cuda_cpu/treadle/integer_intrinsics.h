// SPDX-License-Identifier: MIT
// Bit counting, wide products, byte permutation, funnel shifts, and the video instructions' sums of differences.
#pragma once

__TREADLE_FUNCTION int __popc(unsigned x) { return __builtin_popcount(x); }
__TREADLE_FUNCTION int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__TREADLE_FUNCTION int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
__TREADLE_FUNCTION int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
__TREADLE_FUNCTION int __ffs(int x) { return __builtin_ffs(x); }
__TREADLE_FUNCTION int __ffsll(long long x) { return __builtin_ffsll(x); }
__TREADLE_FUNCTION unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__TREADLE_FUNCTION unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
/// Position of the `offset`-th set bit of `mask` from `base`, upwards (offset > 0) or downwards; -1: none.
__TREADLE_FUNCTION unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> (base & 31u) & 1u ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int bit = static_cast<int>(base & 31u); bit >= 0 && bit < 32; bit += step) {
    if (mask >> bit & 1u && --left == 0) return static_cast<unsigned>(bit);
  }
  return 0xffffffffu;
}

__TREADLE_FUNCTION int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) << 8) / 256 *
         (static_cast<int>(static_cast<unsigned>(b) << 8) / 256);
}
__TREADLE_FUNCTION unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
__TREADLE_FUNCTION int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
__TREADLE_FUNCTION unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__TREADLE_FUNCTION long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<_BitInt(128)>(a) * static_cast<_BitInt(128)>(b) >> 64);
}
__TREADLE_FUNCTION unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(
      static_cast<unsigned _BitInt(128)>(a) * static_cast<unsigned _BitInt(128)>(b) >> 64);
}
__TREADLE_FUNCTION int mul24(int a, int b) { return __mul24(a, b); }
__TREADLE_FUNCTION unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
__TREADLE_FUNCTION int mulhi(int a, int b) { return __mulhi(a, b); }
__TREADLE_FUNCTION unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }

__TREADLE_FUNCTION int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
__TREADLE_FUNCTION int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
__TREADLE_FUNCTION unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
__TREADLE_FUNCTION unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
__TREADLE_FUNCTION unsigned __sad(int a, int b, unsigned c) {
  const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  return c + (a > b ? ua - ub : ub - ua);
}
__TREADLE_FUNCTION unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a > b ? a - b : b - a);
}

/// Four bytes picked from the eight of b:a; the low three bits of nibble i of `selector` name byte i.
/// The fourth, by which PTX's prmt copies a sign, is ignored, as on an H200 (measured).
__TREADLE_FUNCTION unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned choice = selector >> (4 * i) & 7u;
    result |= (static_cast<unsigned>(bytes >> (8 * choice)) & 255u) << (8 * i);
  }
  return result;
}
__TREADLE_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (shift & 31u) ? high << (shift & 31u) | low >> (32u - (shift & 31u))
                        : high;
}
__TREADLE_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (shift & 31u) ? low >> (shift & 31u) | high << (32u - (shift & 31u)) : low;
}
__TREADLE_FUNCTION unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32u ? low : __funnelshift_l(low, high, shift);
}
__TREADLE_FUNCTION unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32u ? high : __funnelshift_r(low, high, shift);
}

/// Dot products added to c: of four bytes with four, or of two halfwords with the lower or upper two of four bytes.
#define __TREADLE_DOT_PRODUCTS(integer, halfwords, bytes)                                         \
  __TREADLE_FUNCTION integer __dp4a(bytes a, bytes b, integer c) {                               \
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;                                    \
  }                                                                                              \
  __TREADLE_FUNCTION integer __dp2a_lo(halfwords a, bytes b, integer c) {                        \
    return c + static_cast<integer>(a.x) * b.x + static_cast<integer>(a.y) * b.y;                \
  }                                                                                              \
  __TREADLE_FUNCTION integer __dp2a_hi(halfwords a, bytes b, integer c) {                        \
    return c + static_cast<integer>(a.x) * b.z + static_cast<integer>(a.y) * b.w;                \
  }                                                                                              \
  __TREADLE_FUNCTION integer __dp4a(integer a, integer b, integer c) {                           \
    return __dp4a(__builtin_bit_cast(bytes, a), __builtin_bit_cast(bytes, b), c);                \
  }                                                                                              \
  __TREADLE_FUNCTION integer __dp2a_lo(integer a, integer b, integer c) {                        \
    return __dp2a_lo(__builtin_bit_cast(halfwords, a), __builtin_bit_cast(bytes, b), c);         \
  }                                                                                              \
  __TREADLE_FUNCTION integer __dp2a_hi(integer a, integer b, integer c) {                        \
    return __dp2a_hi(__builtin_bit_cast(halfwords, a), __builtin_bit_cast(bytes, b), c);         \
  }
__TREADLE_DOT_PRODUCTS(int, short2, char4)
__TREADLE_DOT_PRODUCTS(unsigned int, ushort2, uchar4)
#undef __TREADLE_DOT_PRODUCTS
