// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::codegen {

/// Writes C, line by line, indented by the braces that are open.
class TextWriter {
 public:
  /// A line of what `parts` say one after the other.
  void line(std::initializer_list<std::string_view> parts) {
    text_.append(2 * depth_, ' ');
    for (const std::string_view part : parts) text_ += part;
    text_ += '\n';
  }
  void line(std::string_view text) { line({text}); }
  /// The same, and a brace behind it that holds what follows.
  void open(std::initializer_list<std::string_view> parts) {
    line(parts);
    text_.insert(text_.size() - 1, " {");
    ++depth_;
  }
  void open(std::string_view text) { open({text}); }
  /// A brace alone, for names that hold within it.
  void open() {
    line("{");
    ++depth_;
  }
  /// Closes the last brace; `behind` may open another one.
  void close() {
    --depth_;
    line("}");
  }
  /// The same with what follows the brace: the name of a structure.
  void close(std::string_view behind) {
    --depth_;
    line({"} ", behind});
  }
  void close_and_open(std::string_view between) {
    --depth_;
    line({"} ", between, " {"});
    ++depth_;
  }
  /// Text as it is, and a line's end.
  void directive(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }
  /// Lines of somebody else's; directives among them begin theirs.
  void lines(std::string_view text) {
    while (!text.empty()) {
      const std::string_view first = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), first.size() + 1));
      first.starts_with('#') ? directive(first) : line(first);
    }
  }
  /// The same of statements, which may end in a comment or a directive.
  void statements(std::string_view text) {
    if (text.empty()) return;
    const std::string_view last = text.substr(text.rfind('\n') + 1);
    const std::size_t first = std::min(last.find_first_not_of(" \t"), last.size());
    const bool may_go_on =
        last.substr(first).starts_with('#') || last.find("//") != std::string_view::npos;
    lines(may_go_on ? std::string(text) : std::string(text) + ";");
    if (may_go_on) line(";");
  }
  /// A kernel's parameters, as many on a line as it takes, and the brace of its body.
  void open_parameters(const std::vector<std::string>& parameters) {
    std::string row = "    ";
    for (const std::string& parameter : parameters) {
      const std::string_view end = &parameter == &parameters.back() ? ") {" : ",";
      if (row.size() + parameter.size() + end.size() > 100) {
        row.pop_back();
        line(row);
        row = "    ";
      }
      row.append(parameter).append(end).append(" ");
    }
    row.pop_back();
    line(row);
    ++depth_;
  }
  void blank() { text_ += '\n'; }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

inline std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace treadle::codegen
