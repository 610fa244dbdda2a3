// SPDX-License-Identifier: MIT
// Casts from and to bfloat16, by shifts of bits.
#pragma once

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Casts without loss to float32.
Array from_bfloat16(const Array& x);
/// Rounds float32 to the nearest bfloat16, ties to even. NaN stays NaN.
Array to_bfloat16(const Array& x);

}  // namespace treadle::array
