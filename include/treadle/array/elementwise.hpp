// SPDX-License-Identifier: MIT
// Functions on elements that are several operations. They wait until somebody looks, as one
// operation does, and are part of the kernel of what they are used in.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Elements below `low` become it, those above `high` that; `high` where it is below `low`. Without
/// both a copy.
Array clip(const Array& x, const std::optional<Operand>& low, const std::optional<Operand>& high);
/// Zeros above the diagonal of the last two axes that is `offset` to the right of the main one.
/// Throws ShapeError for less than two axes, DTypeError for records.
Array tril(const Array& x, std::int64_t offset = 0);
/// Zeros below it.
Array triu(const Array& x, std::int64_t offset = 0);

}  // namespace treadle::array
