// SPDX-License-Identifier: MIT
// Lines of C that say how the lines behind them are counted and what file they are of: generators
// of texts write them, so that messages name the file that the generator read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace treadle {

/// `#line 12 "name"`, or `# 12 "name"` as preprocessors write it.
struct LineDirective {
  int line = 0;      ///< the number of the next line; 0: a macro gives it, or it is none
  std::string name;  ///< with its quotes and escapes; empty: the file's name stays
};
/// Reads one line of a text. None for a line that is no such directive.
std::optional<LineDirective> line_directive(std::string_view line);

/// Goes over the lines of a text, and knows the number and the file that directives give each. A
/// directive may stand behind a comment and be continued by a backslash; inside of a comment it is
/// none, and one in a branch of #if counts.
class LineWalk {
 public:
  /// Keeps `text`. `name` is that of the text, in quotes; empty: the compiler's own.
  explicit LineWalk(std::string_view text, std::string_view name = {});
  /// Goes to the first line, then to the next; false behind the last one. What follows the last
  /// line break is a line, too, though it may be empty.
  bool next();

  std::string_view text() const noexcept { return line_text_; }  ///< without its line break
  std::size_t begin() const noexcept { return begin_; }          ///< the byte where it begins
  int number() const noexcept { return number_; }                ///< as directives count it, from 1
  const std::string& name() const noexcept { return name_; }     ///< with its quotes and escapes
  /// True for a line that ends a directive.
  bool is_directive() const noexcept { return is_directive_; }

 private:
  std::string_view text_, line_text_;
  std::string clean_, logical_, name_, next_name_;
  std::size_t begin_ = 0, next_begin_ = 0;
  int number_ = 0, next_number_ = 1;
  bool is_directive_ = false;
};

/// A file's name as a directive has it, without its quotes and escapes.
std::string unquoted_name(std::string_view name);

/// The directive that gives what stands behind `before` the line and the name that it has there:
/// for a text into which something is put at that place, which the user's messages shall not
/// count. `name` is that of the text, in quotes; empty: the compiler's own.
std::string line_directive_behind(std::string_view before, std::string_view name);

}  // namespace treadle
