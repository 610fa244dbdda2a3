// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace treadle::opencl {

/// The expression of a text with the most operators.
struct LongestExpression {
  std::size_t operators = 0;
  std::size_t line = 1;  ///< of its first operator, from 1
};
/// Operators are counted between semicolons, braces and commas, outside of comments and texts;
/// macros are not expanded.
LongestExpression longest_expression(std::string_view text) noexcept;

}  // namespace treadle::opencl
