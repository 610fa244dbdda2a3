// SPDX-License-Identifier: MIT
// Elements that are equal but for rounding.
#pragma once

#include "treadle/array/array.hpp"

namespace treadle::array {

/// How far apart two numbers may be: |x - y| <= absolute + relative * |y|.
struct Tolerance {
  double relative = 1e-5;       ///< of |y|
  double absolute = 1e-8;       ///< added to it
  bool nan_equals_nan = false;  ///< NaN is close to nothing else in any case
};

/// Of each pair of elements, broadcast, whether they are close: bool. Infinities are close to
/// themselves. At least one operand is an array; throws as apply().
Array isclose(const Operand& x, const Operand& y, const Tolerance& tolerance = {});

}  // namespace treadle::array
