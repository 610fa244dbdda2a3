// SPDX-License-Identifier: MIT
// A source of CUDA C cut into words and marks, for what needs no types: comments are left out, and
// macros are not expanded.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace treadle::compile {

/// A word, a string with its quotes, a single mark (or "::"), or a directive with its line.
struct Piece {
  enum class Kind { word, string, mark, directive };
  Kind kind = Kind::mark;
  std::size_t begin = 0, end = 0;  ///< in the text
  int line = 0;                    ///< as messages count: #line directives are followed
};

/// In their order.
std::vector<Piece> pieces_of(std::string_view text);

/// Of names and numbers.
bool is_word_character(char c);

}  // namespace treadle::compile
