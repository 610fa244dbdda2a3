// SPDX-License-Identifier: MIT
// Casts from and to bfloat16, by shifts of bits.
#pragma once

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Exactly, as float32.
Array from_bfloat16(const Array& x);
/// float32 rounded to the nearest, ties to even; NaN stays one.
Array to_bfloat16(const Array& x);

}  // namespace treadle::array
