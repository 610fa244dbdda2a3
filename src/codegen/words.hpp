// SPDX-License-Identifier: MIT
// Analyses C text as far as a preprocessor does: identifiers, one-line definitions, and
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

/// The length of the identifier at the start of `text`; 0: there is none.
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
    // Skip a number with its suffix, which is not an identifier.
    if (is_first)
      while (end < text.size() && is_word(text[end])) ++end;
    if (is_word_start(text[at])) take(text.substr(at, end - at));
    at = end;
  }
}

/// Calls `replace(identifier)` for each identifier of `text`, and returns the text with the results
/// in place of the identifiers.
template <class Replace>
std::string replace_identifiers(std::string_view text, Replace replace) {
  std::string result;
  while (!text.empty()) {
    std::size_t length = identifier_length(text);
    if (length > 0) {
      result += replace(text.substr(0, length));
    } else {
      // A number with its suffix is not an identifier.
      length = 1;
      if (is_digit(text[0]))
        while (length < text.size() && is_word(text[length])) ++length;
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

/// The arguments of "a, f(b, c))" up to the bracket that closes the list; removes them from `text`,
/// which begins after the opening bracket.
std::vector<std::string> take_arguments(std::string_view& text);

/// The definitions of a header; a definition with continued lines is read as one line.
std::vector<Word> read_words(std::string_view header);
/// The word with this name; null: there is none.
const Word* find_word(std::span<const Word> words, std::string_view name) noexcept;
/// `text` with every word replaced by its definition, in which words are replaced as well.
std::string expand_words(std::string_view text, std::span<const Word> words);
/// The parts joined together. (g++ 12 warns wrongly of operator+ after a literal, its bug 105651.)
std::string joined(std::initializer_list<std::string_view> parts);
/// The number in decimal.
inline std::string number(std::uint64_t value) { return std::to_string(value); }
/// Whether the identifier stands in the text; comments count.
bool mentions(std::string_view text, std::string_view identifier);
/// The text without line ends, as the definition of a macro.
std::string in_one_line(std::string text);
/// `text` with {0}, {1}, ... replaced by `values`.
std::string fill_holes(std::string_view text, std::span<const std::string> values);

}  // namespace treadle::codegen
