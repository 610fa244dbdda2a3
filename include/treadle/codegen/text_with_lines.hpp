// SPDX-License-Identifier: MIT
// A generated text that knows, for each of its lines, the line of a program or template from which
// it was made, so that compilers report errors there.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::codegen {

/// A line of a program or of a template.
struct Position {
  const char* file = nullptr;  ///< a name that lives as long as the process; null: unknown
  std::uint32_t line = 0;      ///< from 1
  /// The caller's line.
  static Position here(std::source_location where = std::source_location::current()) noexcept {
    return {where.file_name(), where.line()};
  }
};

/// A copy of a file's name that lives as long as the process, one for each name. Any thread.
const char* kept_file_name(std::string_view name);

/// A text and the origins of its lines.
struct TextWithLines {
  std::string text;
  std::vector<Position> lines;  ///< an origin for each line; lines at the end may lack one
};

/// The text with `#line` before each line whose origin does not follow the origin of the line
/// before. Compilers then report errors at the origins.
std::string with_line_directives(const TextWithLines& text);

namespace tree {
using codegen::Position;
}

}  // namespace treadle::codegen
