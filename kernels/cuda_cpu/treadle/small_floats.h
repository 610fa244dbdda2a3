// SPDX-License-Identifier: MIT
// Numbers of 8 bits and fewer: a sign, an exponent and a few digits, which fp8, fp6 and fp4 share.
// `lowest` is the exponent of the smallest normal number as a float counts it: 127 is 2^0.
#pragma once

extern "C++" {
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

__TREADLE_CONSTEXPR unsigned __treadle_sign_of(float x) {
  return __builtin_bit_cast(unsigned, x) >> 31;
}
/// The code of the nearest number to |x|, of two the even one; it may be larger than any there is.
__TREADLE_CONSTEXPR unsigned __treadle_small_code(float x, unsigned digits, unsigned lowest) {
  const unsigned size = __builtin_bit_cast(unsigned, x) & 0x7fffffffu;
  if (size >> 23 < lowest) {
    // Below the smallest normal number the steps are equal: a sum in which one is the last place.
    const float step = __builtin_bit_cast(float, (lowest - digits + 23u) << 23);
    const float sum = __builtin_bit_cast(float, size) + step;
    return __builtin_bit_cast(unsigned, sum) - __builtin_bit_cast(unsigned, step);
  }
  const unsigned dropped = 23u - digits;
  const unsigned even = size >> dropped & 1u;
  return ((size + (1u << (dropped - 1u)) - 1u + even) >> dropped) - ((lowest - 1u) << digits);
}

/// Without NaN and infinity: what is too large becomes the largest, NaN the largest without a sign.
__TREADLE_CONSTEXPR unsigned char __treadle_narrow_finite(float x, unsigned digits, unsigned lowest,
                                                          unsigned largest) {
  if (x != x) return static_cast<unsigned char>(largest);
  const unsigned code = __treadle_small_code(x, digits, lowest);
  return static_cast<unsigned char>(__treadle_sign_of(x) * (largest + 1u) |
                                    (code > largest ? largest : code));
}
__TREADLE_CONSTEXPR float __treadle_widen_finite(unsigned code, unsigned digits, unsigned lowest,
                                                 unsigned largest) {
  const unsigned size = code & largest, sign = (code & (largest + 1u)) != 0;
  // The number as if the first digit were 1, then what that was too much.
  const float first = __builtin_bit_cast(float, lowest << 23);
  const bool is_normal = size >> digits != 0;
  const unsigned bits = ((is_normal ? lowest - 1u : lowest) << 23) + (size << (23u - digits));
  const float x = __builtin_bit_cast(float, bits) - (is_normal ? 0.0f : first);
  return sign ? -x : x;
}
}
