// SPDX-License-Identifier: MIT
#include "treadle/base/line_directive.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

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

LineWalk::LineWalk(std::string_view text, std::string_view name)
    : text_(text), clean_(without_comments(text)), next_name_(name) {}

bool LineWalk::next() {
  if (next_begin_ > text_.size()) return false;
  begin_ = next_begin_;
  number_ = next_number_;
  if (name_ != next_name_) name_ = next_name_;
  const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
  line_text_ = text_.substr(begin_, end - begin_);
  next_begin_ = end + 1;
  is_directive_ = false;
  if (next_number_ < std::numeric_limits<int>::max()) ++next_number_;
  logical_ += std::string_view(clean_).substr(begin_, end - begin_);
  if (logical_.ends_with('\r')) logical_.pop_back();
  if (logical_.ends_with('\\')) {  // the next line continues this one
    logical_.pop_back();
    return true;
  }
  const auto directive = line_directive(logical_);
  logical_.clear();
  if (!directive || directive->line == 0) return true;
  is_directive_ = true;
  next_number_ = directive->line;
  if (!directive->name.empty()) next_name_ = directive->name;
  return true;
}

std::string unquoted_name(std::string_view name) {
  if (name.size() < 2) return std::string(name);
  std::string plain;
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    if (name[at] == '\\' && at + 2 < name.size()) ++at;
    plain += name[at];
  }
  return plain;
}

std::string line_directive_behind(std::string_view before, std::string_view name) {
  LineWalk lines(before, name);
  while (lines.next()) {
  }
  return "#line " + std::to_string(lines.number()) + (lines.name().empty() ? "" : " ") +
         lines.name() + '\n';
}

}  // namespace treadle
