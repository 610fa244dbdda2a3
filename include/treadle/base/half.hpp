// SPDX-License-Identifier: MIT
// Numbers of 16 bits (IEEE 754 binary16) on the host, whose C++ has no type for them.
#pragma once

#include <cstdint>

namespace treadle {

/// The nearest half, ties to even; beyond 65504 + 16 infinity; a NaN stays one. Its bits.
std::uint16_t half_from(double value) noexcept;
/// The number that the bits of a half stand for; exact.
double half_value(std::uint16_t bits) noexcept;

}  // namespace treadle
