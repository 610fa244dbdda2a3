// SPDX-License-Identifier: MIT
#include "treadle/base/line_directive.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/characters.hpp"
#include "treadle/base/c_declaration.hpp"

namespace treadle {
namespace {

std::string_view without_blanks_before(std::string_view text) {
  text.remove_prefix(
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_blank) - text.begin()));
  return text;
}

std::string quoted_name(std::string_view text) {
  text = without_blanks_before(text);
  if (!text.starts_with('"')) return {};
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return std::string(text.substr(0, at + 1));
  }
  return {};
}

}  // namespace

std::optional<LineDirective> line_directive(std::string_view line) {
  line = without_blanks_before(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_blanks_before(line.substr(1));
  constexpr std::string_view word = "line";
  const bool has_word =
      line.starts_with(word) && (line.size() == word.size() || !is_word(line[word.size()]));
  if (has_word) line = without_blanks_before(line.substr(word.size()));
  LineDirective directive;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), directive.line);
  // Compilers stop counting there, too.
  if (error == std::errc::result_out_of_range) directive.line = std::numeric_limits<int>::max();
  if (error != std::errc::invalid_argument && directive.line >= 0)
    directive.name = quoted_name(line.substr(static_cast<std::size_t>(end - line.data())));
  else if (!has_word)
    return std::nullopt;
  return directive;
}

std::string line_directive_behind(std::string_view before, std::string_view name) {
  // A directive may stand behind a comment; inside of one it is none.
  const std::string clean = without_comments(before);
  int line = 1;
  std::string named(name), logical;
  for (std::size_t begin = 0, end = 0; (end = before.find('\n', begin)) != before.npos;
       begin = end + 1) {
    if (line < std::numeric_limits<int>::max()) ++line;
    logical += std::string_view(clean).substr(begin, end - begin);
    if (logical.ends_with('\r')) logical.pop_back();
    if (logical.ends_with('\\')) {  // the next line continues this one
      logical.pop_back();
      continue;
    }
    const auto directive = line_directive(std::exchange(logical, {}));
    if (!directive || directive->line == 0) continue;
    line = directive->line;
    if (!directive->name.empty()) named = directive->name;
  }
  return "#line " + std::to_string(line) + (named.empty() ? "" : " ") + named + '\n';
}

}  // namespace treadle
