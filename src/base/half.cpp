// SPDX-License-Identifier: MIT
#include "treadle/base/half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace treadle {
namespace {

constexpr int mantissa_bits = 10, bias = 15, least_exponent = -14;
constexpr std::uint16_t infinity = 0x7c00, quiet = 0x0200;

}  // namespace

std::uint16_t half_from(double value) noexcept {
  const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(value) >> 48 & 0x8000);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | infinity | quiet;
  if (magnitude >= 65520) return sign | infinity;  // half a step above the largest, and beyond
  // In units of the last place; below the least exponent these do not shrink any more. Exact, as a
  // power of two is, so that the one rounding is that of nearbyint().
  const int exponent =
      magnitude == 0 ? least_exponent : std::max(std::ilogb(magnitude), least_exponent);
  const double units = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));
  // A number that was rounded up to the next power of two carries into the exponent by itself; a
  // subnormal one has an exponent field of 0 and no hidden bit.
  const int field = exponent - least_exponent;
  return static_cast<std::uint16_t>(sign + (field << mantissa_bits) + static_cast<int>(units));
}

double half_value(std::uint16_t bits) noexcept {
  const int field = bits >> mantissa_bits & 0x1f;
  const int fraction = bits & 0x3ff;
  double magnitude = 0;
  if (field == 0x1f)
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  else if (field == 0)
    magnitude = std::ldexp(fraction, least_exponent - mantissa_bits);
  else
    magnitude = std::ldexp(fraction + 0x400, field - bias - mantissa_bits);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace treadle
