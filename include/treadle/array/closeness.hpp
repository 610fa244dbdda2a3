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

/// For each pair of elements of the broadcast operands, whether they are close, as bool. An
/// infinity is close to itself. At least one operand is an array; throws as apply().
Array isclose(const Operand& x, const Operand& y, const Tolerance& tolerance = {});

/// Whether all pairs are close. Waits for them.
bool allclose(const Operand& x, const Operand& y, const Tolerance& tolerance = {});
/// Whether both have one shape and equal elements; with `nan_equals_nan` NaN equals NaN. Waits.
bool array_equal(const Array& x, const Array& y, bool nan_equals_nan = false);
/// Whether both broadcast to one shape and have equal elements there. Waits.
bool array_equiv(const Array& x, const Array& y);

}  // namespace treadle::array
