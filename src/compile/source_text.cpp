// SPDX-License-Identifier: MIT
#include "compile/source_text.hpp"

#include <algorithm>
#include <string_view>

#include "treadle/base/c_text.hpp"
#include "treadle/base/line_directive.hpp"

namespace treadle::compile {
namespace {

constexpr std::string_view spaces = " \t\r\v\f";

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (c != '\n') text += c;
  }
  return text + '"';
}

/// Walks over what may stand before the first declaration: blank lines, comments and directives.
class Opening {
 public:
  explicit Opening(std::string_view source) : source_(source) {}

  /// Its length, up to the last line that is outside every #if.
  std::size_t length() {
    while (at_ < source_.size() && skip_line()) {
      if (depth_ == 0) end_ = at_;
    }
    return end_;
  }

 private:
  // False at a line with anything else on it.
  bool skip_line() {
    if (!skip_blanks_and_comments())
      return true;  // the comment took the line's end with it, or the text's
    if (source_[at_] == '\n') return ++at_, true;
    if (source_[at_] != '#') return false;
    std::string_view directive = source_.substr(at_ + 1);
    directive.remove_prefix(std::min(directive.find_first_not_of(spaces), directive.size()));
    if (directive.starts_with("if")) ++depth_;
    if (directive.starts_with("endif")) --depth_;
    // What follows is counted by it: whether it holds, or which number it gives, is not known here.
    const auto line = line_directive(source_.substr(at_, source_.find('\n', at_) - at_));
    if (line && (depth_ > 0 || line->line == 0)) return false;
    return skip_directive();
  }

  // True if something is left on the line.
  bool skip_blanks_and_comments() {
    while (at_ < source_.size()) {
      at_ = std::min(source_.find_first_not_of(spaces, at_), source_.size());
      const std::size_t end = behind_comment(source_, at_);
      if (end == at_) return at_ < source_.size();
      at_ = end;
    }
    return false;
  }

  // To the next line; a backslash continues this one. A comment that begins here and ends on a
  // later line would be cut in two: then the opening ends before it.
  bool skip_directive() {
    std::size_t from = at_;
    while (true) {
      const std::size_t end = std::min(source_.find('\n', from), source_.size());
      const std::string_view line = source_.substr(at_, end - at_);
      const std::size_t comment = line.rfind("/*");
      if (comment != std::string_view::npos && line.find("*/", comment) == std::string_view::npos)
        return false;
      const std::size_t last = line.find_last_not_of(spaces);
      const bool continued = last != std::string_view::npos && line[last] == '\\';
      from = std::min(end + 1, source_.size());
      if (continued && from < source_.size()) continue;
      at_ = from;
      return true;
    }
  }

  const std::string_view source_;
  std::size_t at_ = 0, end_ = 0;
  int depth_ = 0;
};

}  // namespace

std::size_t opening_length(std::string_view source) { return Opening(source).length(); }

std::string compiler_text(const std::string& given, const std::string& name, bool extern_c) {
  std::string_view source = given;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // editors begin files with it
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  const std::string file = quoted(name);
  std::string text;
  text.reserve(source.size() + 2 * file.size() + 64);
  text += "#line 1 " + file + '\n';
  if (!extern_c) return text += source;
  const std::size_t opening = opening_length(source);
  text += source.substr(0, opening);
  if (!text.ends_with('\n')) text += '\n';
  text += "extern \"C\" {\n" + line_directive_behind(source.substr(0, opening), file);
  text += source.substr(opening);
  // The line break ends a comment that the source may end with.
  return text += "\n}\n";
}

}  // namespace treadle::compile
