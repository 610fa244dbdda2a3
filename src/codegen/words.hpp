// SPDX-License-Identifier: MIT
// C text taken apart as far as a preprocessor does: identifiers, definitions of one line, and their
// replacement.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/characters.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The length of the identifier that `text` begins with; 0: with none.
constexpr std::size_t identifier_length(std::string_view text) noexcept {
  if (text.empty() || !is_word_start(text[0])) return 0;
  std::size_t length = 1;
  while (length < text.size() && is_word(text[length])) ++length;
  return length;
}

/// Calls `take(identifier)` for each identifier of `text`.
template <class Take>
void each_identifier(std::string_view text, Take take) {
  for (std::size_t at = 0; at < text.size();) {
    const bool is_first = is_word(text[at]);
    std::size_t end = at + 1;
    // A number with its suffix holds no identifier.
    if (is_first)
      while (end < text.size() && is_word(text[end])) ++end;
    if (is_word_start(text[at])) take(text.substr(at, end - at));
    at = end;
  }
}

/// Calls `replace(identifier)` for each identifier of `text`, and returns the text with the results
/// in their place.
template <class Replace>
std::string replace_identifiers(std::string_view text, Replace replace) {
  std::string result;
  while (!text.empty()) {
    std::size_t length = identifier_length(text);
    if (length > 0) {
      result += replace(text.substr(0, length));
    } else {
      // A number with its suffix holds no identifier.
      length = 1;
      if (is_digit(text[0]))
        while (length < text.size() && is_word(text[length])) ++length;
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

/// The parts of "a, f(b, c))" up to the bracket that closes the list; removes them from `text`,
/// which begins behind the opening bracket.
std::vector<std::string> take_arguments(std::string_view& text);

/// What a header defines; definitions that go on over several lines are one line.
std::vector<Word> read_words(std::string_view header);
/// By its name; null: there is none.
const Word* find_word(std::span<const Word> words, std::string_view name) noexcept;
/// `text` with every word replaced by its text, the words in that as well.
std::string expand_words(std::string_view text, std::span<const Word> words);
/// The parts, one behind the other. (g++ 12 warns of operator+ behind a literal, its bug 105651.)
std::string joined(std::initializer_list<std::string_view> parts);
/// The number in decimal.
inline std::string number(std::uint64_t value) { return std::to_string(value); }
/// Whether the identifier stands in the text; in a comment it counts, too.
bool mentions(std::string_view text, std::string_view identifier);
/// The text without line ends, for a macro that is defined as it.
std::string in_one_line(std::string text);
/// `text` with {0}, {1}, ... replaced.
std::string fill_holes(std::string_view text, std::span<const std::string> values);

}  // namespace treadle::codegen
