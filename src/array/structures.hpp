// SPDX-License-Identifier: MIT
// Comparisons of structured dtypes (records). No single kernel operation compares records.
#pragma once

#include <optional>
#include <span>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Whether an operand is an array of records.
bool has_records(std::span<const Operand> operands);
/// Compares records by == or !=, as NumPy does: all fields must be equal, also in nested records
/// and array fields. Returns nothing for other operations and operands. Throws DTypeError unless
/// both dtypes have the same field names and shapes.
std::optional<Array> compared_records(Op op, std::span<const Operand> operands);

}  // namespace treadle::array
