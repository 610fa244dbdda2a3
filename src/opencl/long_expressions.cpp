// SPDX-License-Identifier: MIT
#include "opencl/long_expressions.hpp"

namespace treadle::opencl {
namespace {

/// Behind a comment or a quoted text that begins at `at`; `at` if none does.
std::size_t behind_quoted(std::string_view text, std::size_t at) noexcept {
  const auto end = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/*")) return end("*/", at + 2);
  if (rest.starts_with("//")) return end("\n", at) - (text.find('\n', at) < text.size() ? 1 : 0);
  if (rest.front() != '"' && rest.front() != '\'') return at;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == rest.front() || text[i] == '\n')
      return i + 1;
  }
  return text.size();
}

}  // namespace

LongestExpression longest_expression(std::string_view text) noexcept {
  constexpr std::string_view operators = "+-*/%&|^<>=?!~", ends = ";{},";
  LongestExpression longest, current;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t behind = behind_quoted(text, i);
    for (std::size_t skipped = i; skipped < behind; ++skipped) line += text[skipped] == '\n';
    if (behind != i) {
      i = behind;
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
