// SPDX-License-Identifier: MIT
// Texts of C and its kin, taken apart without a compiler: which of them is code, and their lines.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace treadle {

/// Behind the comment that begins at `at`; `at` if none does. The end of its line is no part of a
/// comment; one that is not closed ends with the text.
std::size_t behind_comment(std::string_view text, std::size_t at) noexcept;
/// Behind the string or character that begins at `at`; `at` if none does, or if it does not end on
/// its line. The marks between digits, as in 1'000, begin none.
std::size_t behind_literal(std::string_view text, std::size_t at) noexcept;

/// The lines of a text, without their ends: "a\n\nb\n" has three.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace treadle
