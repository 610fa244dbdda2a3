// SPDX-License-Identifier: MIT
// Compares elements up to rounding.
#pragma once

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The tolerance of a comparison: |x - y| <= absolute + relative * |y|.
struct Tolerance {
  double relative = 1e-5;       ///< a factor of |y|
  double absolute = 1e-8;       ///< added to the product
  bool nan_equals_nan = false;  ///< otherwise NaN is close to nothing
};

/// Tells for each pair of elements of the broadcast operands whether they are close, as bool. An
/// infinity is close to itself. At least one operand must be an array. Throws as apply().
Array isclose(const Operand& x, const Operand& y, const Tolerance& tolerance = {});

/// Whether all pairs are close. Waits for the result.
bool allclose(const Operand& x, const Operand& y, const Tolerance& tolerance = {});
/// Whether both arrays have one shape and equal elements. With `nan_equals_nan` NaN equals NaN.
/// Waits for the result.
bool array_equal(const Array& x, const Array& y, bool nan_equals_nan = false);
/// Whether the arrays broadcast to one shape and have equal elements there. Waits for the result.
bool array_equiv(const Array& x, const Array& y);

}  // namespace treadle::array
