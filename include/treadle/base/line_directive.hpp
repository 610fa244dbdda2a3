// SPDX-License-Identifier: MIT
// Lines of C that say how the lines behind them are counted and what file they are of: generators
// of texts write them, so that messages name the file that the generator read.
#pragma once

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

/// The directive that gives what stands behind `before` the line and the name that it has there:
/// for a text into which something is put at that place, which the user's messages shall not
/// count. `name` is that of the text, in quotes; empty: the compiler's own.
std::string line_directive_behind(std::string_view before, std::string_view name);

}  // namespace treadle
