// SPDX-License-Identifier: MIT
#include "opencl/long_expressions.hpp"

#include <algorithm>

#include "treadle/base/c_text.hpp"

namespace treadle::opencl {

LongestExpression longest_expression(std::string_view text) noexcept {
  constexpr std::string_view operators = "+-*/%&|^<>=?!~", ends = ";{},";
  LongestExpression longest, current;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t behind = std::max(behind_comment(text, i), behind_literal(text, i));
        behind != i) {
      for (; i < behind; ++i) line += text[i] == '\n';
      continue;
    }
    const char c = text[i++];
    if (c == '\n') ++line;
    if (ends.find(c) != std::string_view::npos) current = {};
    if (operators.find(c) == std::string_view::npos) continue;
    const bool is_second = i > 1 && operators.find(text[i - 2]) != std::string_view::npos;
    if (is_second) continue;  // += and << are one
    if (current.operators == 0) current.line = line;
    ++current.operators;
    if (current.operators > longest.operators) longest = current;
  }
  return longest;
}

}  // namespace treadle::opencl
