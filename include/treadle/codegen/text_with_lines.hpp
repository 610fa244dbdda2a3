// SPDX-License-Identifier: MIT
// A generated text that knows which line of a program or template each of its lines comes from, so
// that compilers report errors there.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::codegen {

/// A line of a program or of a template.
struct Position {
  const char* file = nullptr;  ///< lives as long as the process; null: not known
  std::uint32_t line = 0;      ///< from 1
  /// The caller's line.
  static Position here(std::source_location where = std::source_location::current()) noexcept {
    return {where.file_name(), where.line()};
  }
};

/// A copy of a file's name that lives as long as the process, one for each name. Any thread.
const char* kept_file_name(std::string_view name);

/// A text, and where its lines come from.
struct TextWithLines {
  std::string text;
  std::vector<Position> lines;  ///< one for each line of the text; a missing one is not known
};

/// The text with `#line` before each line that does not follow from the one before it. Compilers
/// report errors of it at the lines it comes from.
std::string with_line_directives(const TextWithLines& text);

namespace tree {
using codegen::Position;
}

}  // namespace treadle::codegen
