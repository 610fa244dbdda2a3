// SPDX-License-Identifier: MIT
// Comparisons of structured dtypes (records), which no kernel computes as one operation.
#pragma once

#include <optional>
#include <span>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Whether an operand is an array of records.
bool has_records(std::span<const Operand> operands);
/// Of == and != on records what NumPy gives: whether all fields are equal, those of nested records
/// and each element of array fields, too. Nothing for other operations and operands. Throws
/// DTypeError unless both have records of the same names and shapes of fields.
std::optional<Array> compared_records(Op op, std::span<const Operand> operands);

}  // namespace treadle::array
