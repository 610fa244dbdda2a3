// SPDX-License-Identifier: MIT
// bfloat16: the upper half of a float32. A way to store numbers: arrays of them are cast to and
// from other dtypes, and multiplied as matrices with sums in float32; nothing else is computed with
// them. The dtype is a record of 16 bits, because neither NumPy nor C has one.
#pragma once

#include "treadle/base/dtype.hpp"

namespace treadle {

/// Elements of bfloat16: the record "bfloat16" with the field "bits", uint16.
DType bfloat16_dtype();
/// Whether it is that.
bool is_bfloat16(const DType& dtype);

}  // namespace treadle
