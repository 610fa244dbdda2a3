// SPDX-License-Identifier: MIT
#include "treadle/base/c_text.hpp"

#include <algorithm>

#include "base/characters.hpp"

namespace treadle {
namespace {

// Whether a mark stands in a number: 1'000.
bool is_in_number(std::string_view text, std::size_t at) noexcept {
  std::size_t begin = at;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  return is_digit(text[begin]);
}

}  // namespace

std::size_t behind_comment(std::string_view text, std::size_t at) noexcept {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

std::size_t behind_literal(std::string_view text, std::size_t at) noexcept {
  const char quote = at < text.size() ? text[at] : '\0';
  if (quote != '"' && (quote != '\'' || is_in_number(text, at))) return at;
  for (std::size_t end = at + 1; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == quote) return end + 1;
    if (text[end] == '\\') ++end;
  }
  return at;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace treadle
